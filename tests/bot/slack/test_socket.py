"""D086: a connection to Slack that does not come back ends the process."""

import asyncio
from collections.abc import Callable

import pytest

from bot.slack import socket
from bot.slack.app import serve
from bot.slack.socket import PATIENCE_SECONDS, SocketLost, until_lost
from tests.bot.slack.conftest import Clock
from tests.bot.slack.test_app import NobodyAtTheDesk
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tests.standins.slack_answers import answers_of


class Client:
    """A socket that is open or not, look by look."""

    def __init__(self, *looks: bool) -> None:
        self._looks = iter(looks)
        self.message_processor: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def is_connected(self) -> bool:
        return next(self._looks)


def sleeping(clock: Clock, seconds: float) -> Callable[[float], "asyncio.Future[None]"]:
    """A wait that takes no time and moves the clock by so much, whatever is asked for."""

    async def sleep(_: float) -> None:
        clock.now += seconds

    return sleep  # type: ignore[return-value]


async def test_d086_a_socket_that_stays_away_is_lost(clock: Clock) -> None:
    client = Client(True, False, False, False)
    with pytest.raises(SocketLost):
        await until_lost(client, clock, sleeping(clock, PATIENCE_SECONDS / 2))  # type: ignore[arg-type]
    assert clock.now == PATIENCE_SECONDS * 1.5


async def test_d086_a_socket_that_comes_back_in_time_is_not(clock: Clock) -> None:
    """The looks run out before anybody calls it lost: two gaps do not add up."""
    client = Client(False, False, True, False, False, True)
    with pytest.raises(RuntimeError, match="StopIteration"):
        await until_lost(client, clock, sleeping(clock, PATIENCE_SECONDS * 0.9))  # type: ignore[arg-type]


async def test_d086_an_open_socket_that_nobody_reads_is_lost(clock: Clock) -> None:
    client = Client(*[True] * 9)
    client.message_processor.set_result(None)
    with pytest.raises(SocketLost):
        await until_lost(client, clock, sleeping(clock, PATIENCE_SECONDS / 2))  # type: ignore[arg-type]


async def test_d086_a_process_whose_slack_is_gone_ends_with_an_error(
    slack: SlackStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(socket, "_LOOK_SECONDS", 0.0)
    serving = asyncio.create_task(
        serve(
            bot_token=BOT_TOKEN,
            app_token=APP_TOKEN,
            answers=answers_of(NobodyAtTheDesk()),
            api_url=slack.api_url,
        )
    )
    await slack.connected()
    slack.fault("apps.connections.open", 500, times=99)
    await slack.drop()
    with pytest.raises(SocketLost):
        await serving
