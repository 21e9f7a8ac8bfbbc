"""Whether Slack still reaches this process: the SDK reconnects for ever, also where it cannot."""

import asyncio
from collections.abc import Awaitable, Callable

from slack_sdk.socket_mode.aiohttp import SocketModeClient

#: Slack replaces its sockets every few hours within seconds. After this long without one the
#: process ends, so that whoever watches it starts it again.
PATIENCE_SECONDS = 300.0
_LOOK_SECONDS = 5.0

Sleep = Callable[[float], Awaitable[None]]


class SocketLost(Exception):
    """No socket to Slack was open for too long."""

    def __init__(self) -> None:
        super().__init__(f"no connection to Slack for {PATIENCE_SECONDS:.0f} seconds")


async def until_lost(
    client: SocketModeClient, clock: Callable[[], float], sleep: Sleep = asyncio.sleep
) -> None:
    """Raise SocketLost once `client` has not heard Slack for so long; until then wait.

    A client whose task that deals with messages has ended hears nothing, whatever its socket says.
    """
    lost_since: float | None = None
    while True:
        if await client.is_connected() and not client.message_processor.done():
            lost_since = None
        elif lost_since is None:
            lost_since = clock()
        elif clock() - lost_since >= PATIENCE_SECONDS:
            raise SocketLost
        await sleep(_LOOK_SECONDS)
