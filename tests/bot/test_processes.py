"""Parts that run side by side: they end together, with their answers given."""

import asyncio
import logging
import os
import signal
from pathlib import Path

import pytest

from bot.processes import run_process, until_stopped
from planner.errors import BadInput


class Part:
    """Runs until it is told to end, then finishes what is under way; or fails."""

    def __init__(self, error: Exception | None = None) -> None:
        self.running = asyncio.Event()
        self.finished = False
        self._error = error

    async def run(self) -> None:
        self.running.set()
        if self._error:
            raise self._error
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            self.finished = True


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
async def test_every_part_finishes_when_the_process_is_told_to_end(sign: signal.Signals) -> None:
    parts = [Part(), Part(), Part()]
    running = asyncio.create_task(until_stopped([one.run() for one in parts]))
    for one in parts:
        await one.running.wait()
    os.kill(os.getpid(), sign)
    await running
    assert all(one.finished for one in parts)


async def test_one_part_that_breaks_ends_the_others_and_is_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken, others = Part(ValueError("the socket broke")), [Part(), Part()]
    with pytest.raises(ValueError, match="the socket broke"):
        await until_stopped([one.run() for one in (*others, broken)])
    assert all(one.finished for one in others)
    assert "the socket broke" in caplog.text


async def test_a_part_that_is_set_up_wrong_is_said_once_and_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    refused = BadInput("slack.missing_token", settings=("MUAT_SLACK_APP_TOKEN",))
    with pytest.raises(BadInput) as found:
        await until_stopped([Part().run(), Part(refused).run()])
    assert found.value is refused
    assert "slack.missing_token" not in caplog.text


@pytest.mark.parametrize(
    ("name", "settings", "code"),
    [
        ("serve", {}, "cli.nothing_configured"),
        ("slack", {}, "slack.missing_token"),
        ("discord", {}, "discord.missing_token"),
        ("worker", {}, "cli.worker_unnamed"),
        ("worker", {"MUAT_WORKER_ID": "one"}, "cli.nothing_configured"),
        ("serve", {"MUAT_PORT": "many"}, "cli.bad_setting"),
    ],
)
def test_what_a_process_lacks_is_one_sentence(
    name: str,
    settings: dict[str, str],
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable in [one for one in os.environ if one.startswith("MUAT_")]:
        monkeypatch.delenv(variable)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MUAT_DATABASE_URL", f"sqlite:///{tmp_path / 'team.sqlite'}")
    for variable, value in settings.items():
        monkeypatch.setenv(variable, value)
    with pytest.raises(BadInput) as refused:
        run_process(name)
    assert refused.value.note.code == code
