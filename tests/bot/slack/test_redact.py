"""D131: neither tokens nor response URLs nor socket tickets reach the log."""

import io
import logging

import pytest

from bot.slack.redact import RedactSecrets, redact, redact_all_logs

BOT = "xoxb-1234567890-0987654321-abcDEF123"
ROTATING = "xoxe.xoxb-1-Mi0yLTEyMzQ1"
APP = "xapp-1-A0123-4567-deadbeef"
RESPONSE_URL = "https://hooks.slack.com/commands/T0001/1234567890/SecretPart"
SOCKET = "wss://wss-primary.slack.com/link/?ticket=12348&app_id=5678"
SECRETS = (BOT, ROTATING, APP, RESPONSE_URL, SOCKET)


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_loses_what_makes_it_one(secret: str) -> None:
    shown = redact(f"sent to '{secret}' again")
    assert shown.startswith("sent to '") and shown.endswith("' again")
    assert secret[-8:] not in shown and "…" in shown


def test_ordinary_text_and_addresses_stay() -> None:
    text = "see https://docs.slack.dev/apis/web-api and xoxo"
    assert redact(text) == text


def test_a_record_and_its_traceback_are_cleaned() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(RedactSecrets())
    logger = logging.getLogger("test_redact")
    logger.addHandler(handler)
    try:
        raise ConnectionError(f"cannot reach {RESPONSE_URL} with {BOT}")
    except ConnectionError:
        logger.exception("posting to %s failed for %s", RESPONSE_URL, APP)
    finally:
        logger.removeHandler(handler)
    written = stream.getvalue()
    assert "ConnectionError: cannot reach https://hooks.slack.com/commands/…" in written
    assert not [secret for secret in SECRETS if secret in written]


def test_every_root_handler_is_cleaned_once() -> None:
    handler = logging.StreamHandler(io.StringIO())
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        redact_all_logs()
        redact_all_logs()
    finally:
        root.removeHandler(handler)
    assert [type(each) for each in handler.filters] == [RedactSecrets]
