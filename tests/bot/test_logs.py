"""Logs of a process: one JSON object a line, and nothing secret in any of it."""

import json
import logging

import pytest
from pydantic import SecretStr

from bot.deployment import Settings
from bot.logs import start_logs

TOKEN = "xoxb-123-456-abcdefgh"
SIGNING = "an-unusual-signing-secret-0815"


def test_lines_are_json_without_secrets_tracebacks_included(
    capsys: pytest.CaptureFixture[str],
) -> None:
    start_logs(Settings(slack_signing_secret=SecretStr(SIGNING)))
    log = logging.getLogger("some.library")
    log.info("sent with %s", TOKEN, extra={"url": "https://hooks.slack.com/commands/T/1/abcdef"})
    try:
        raise ValueError(f"{TOKEN} and {SIGNING} are wrong")
    except ValueError:
        log.exception("it broke (error id %s)", "ab12cd34")
    lines = capsys.readouterr().err.splitlines()
    first, second = (json.loads(line) for line in lines)
    assert (first["level"], first["logger"]) == ("info", "some.library")
    assert "ValueError" in second["exception"] and "ab12cd34" in second["event"]
    written = "".join(lines)
    assert TOKEN not in written and SIGNING not in written and "abcdef" not in written
