"""The Discord process: a gateway client whose slash commands ask the desk and show its cards.

A command is acknowledged first, privately, and answered by editing that first response. The client
holds one gateway connection, which Discord allows up to 2,500 servers.
"""

import asyncio
import logging
import secrets
from typing import Any

import aiohttp
import discord
from discord import Interaction, app_commands
from discord.gateway import DiscordWebSocket
from discord.http import Route
from yarl import URL

from bot.commands.registry import all_commands
from bot.desk import Desk
from bot.discord.commands import WordsTranslator, language_hint, slash_command
from bot.discord.components import view_from
from bot.discord.sync import register_commands
from bot.language import DEFAULT_LANGUAGE, words
from bot.render import render
from planner.errors import BadInput

DRAIN_SECONDS = 20.0
AUTHENTICATION_FAILED = 4004

log = logging.getLogger(__name__)

# Discord's codes for an interaction that nobody can answer any more.
OVER = {
    10008: "its message is gone",
    10015: "its token is unknown",
    10062: "it was acknowledged too late",
    40060: "somebody else acknowledged it",
    50027: "its token has expired",
}


class MuatTree(app_commands.CommandTree["MuatClient"]):
    """The commands, and what happens when answering one of them goes wrong."""

    async def on_error(
        self, interaction: Interaction["MuatClient"], error: app_commands.AppCommandError
    ) -> None:
        """Drop an interaction that is over; else apologise with an id that is also in the log."""
        cause = getattr(error, "original", error)
        if isinstance(cause, discord.HTTPException) and cause.code in OVER:
            log.warning("Interaction %s dropped: %s.", interaction.id, OVER[cause.code])
            return
        error_id = secrets.token_hex(4)
        log.error("Error %s while answering on Discord", error_id, exc_info=cause)
        try:
            await _apologise(interaction, error_id)
        except (discord.HTTPException, aiohttp.ClientError) as refusal:
            log.warning("The apology for error %s did not arrive: %s", error_id, refusal)


class MuatClient(discord.Client):
    """A Discord client without privileged intents and without the power to mention anybody."""

    def __init__(self, desk: Desk) -> None:
        # Nobody who runs a bot for text needs a warning that it cannot speak.
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
        super().__init__(
            # Commands need no intent; without this one discord.py warns at every start.
            intents=discord.Intents(guilds=True),
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
        )
        self.desk = desk
        self._answering: set[asyncio.Task[Any]] = set()
        self.tree = MuatTree(self)
        for spec in all_commands().values():
            self.tree.add_command(slash_command(spec, self.answer))

    async def setup_hook(self) -> None:
        """Register the commands once per process, not at every reconnection."""
        await self.tree.set_translator(WordsTranslator())
        await register_commands(self.tree)

    async def answer(self, interaction: Interaction[Any], text: str) -> None:
        """Acknowledge `interaction` at once, then show what the desk says to `text`."""
        if task := asyncio.current_task():
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        await interaction.response.defer(ephemeral=True)
        answer = await self.desk.answer(text, language=language_hint(interaction))
        tree = await asyncio.to_thread(render, answer.card, "discord", words(answer.language))
        await interaction.edit_original_response(view=view_from(tree))

    async def close(self) -> None:
        """Hang up once the answers under way are given, or have taken too long."""
        if self._answering:
            await asyncio.wait(self._answering, timeout=DRAIN_SECONDS)
        await super().close()


async def _apologise(interaction: Interaction[Any], error_id: str) -> None:
    say = words(language_hint(interaction) or DEFAULT_LANGUAGE)
    sentence = say.t("discord.apology", error_id=error_id)
    view = view_from({"type": "text_display", "content": sentence})
    if interaction.response.is_done():
        await interaction.edit_original_response(view=view)
    else:
        await interaction.response.send_message(view=view, ephemeral=True)


def use_servers(api_url: str | None, gateway_url: str | None) -> None:
    """Speak to these servers, not to Discord's own; `api_url` ends in the version ("…/api/v10")."""
    if api_url:
        Route.BASE = api_url.rstrip("/")
    if gateway_url:
        DiscordWebSocket.DEFAULT_GATEWAY = URL(gateway_url)


def build_client(desk: Desk) -> MuatClient:
    """A client that answers from `desk`, not yet connected."""
    return MuatClient(desk)


async def serve(
    *, token: str | None, desk: Desk, api_url: str | None = None, gateway_url: str | None = None
) -> None:
    """Answer on Discord until cancelled, then finish the answers under way.

    A token that is missing or refused and a Discord that cannot be reached are BadInput.
    """
    if not token:
        raise BadInput("discord.missing_token")
    use_servers(api_url, gateway_url)
    # At DEBUG discord.py writes its own token and every interaction's token into the log.
    logging.getLogger("discord").setLevel(logging.INFO)
    async with build_client(desk) as client:
        await _log_in(client, token)
        try:
            await client.connect()
        except discord.ConnectionClosed as closed:
            if closed.code == AUTHENTICATION_FAILED:
                raise BadInput("discord.refused_token") from None
            raise


async def _log_in(client: MuatClient, token: str) -> None:
    try:
        await client.login(token)
    except discord.LoginFailure:
        raise BadInput("discord.refused_token") from None
    except (discord.HTTPException, aiohttp.ClientError, TimeoutError) as error:
        reason = type(error).__name__
        raise BadInput("discord.unreachable", url=Route.BASE, reason=reason) from None
