"""Runs this repository's real Discord client against the local Discord."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.discord.answers import Answers, AnswersTexts
from bot.discord.client import serve
from bot.store.engine import open_store
from tests.standins.discord import DiscordStandIn

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


@cache
def _folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="muat-discord-")


def answers_of(desk: AnswersTexts, folder: Path | None = None) -> Answers:
    """What a client answers from `desk`, with a store in `folder`, else one that the clients of
    this process share.
    """
    place = folder or Path(_folder().name)
    return Answers(desk, open_store(f"sqlite:///{place}/team.sqlite"), lambda: NOW)


@asynccontextmanager
async def serving(
    desk: AnswersTexts,
    discord_server: DiscordStandIn,
    token: str = DiscordStandIn.token,
    *,
    folder: Path | None = None,
    reads_messages: bool = False,
) -> AsyncIterator[asyncio.Task[None]]:
    """`serve` in the background, connected; discord.py's own addresses are put back afterwards.

    Gives the task, for tests of how it ends.
    """
    discord_server.expect_connection()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Route, "BASE", Route.BASE)
        patch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", DiscordWebSocket.DEFAULT_GATEWAY)
        process = asyncio.create_task(
            serve(
                token=token,
                answers=answers_of(desk, folder),
                api_url=discord_server.api_url,
                gateway_url=discord_server.gateway_url,
                reads_messages=reads_messages,
            )
        )
        connected = asyncio.create_task(discord_server.connected())
        try:
            await asyncio.wait({process, connected}, return_when=asyncio.FIRST_COMPLETED)
            if process.done():
                process.result()
            yield process
        finally:
            process.cancel()
            connected.cancel()
            ends = await asyncio.gather(process, connected, return_exceptions=True)
        # A process that ended by itself is a failure, not a quiet end.
        assert isinstance(ends[0], asyncio.CancelledError), repr(ends[0])
