"""The Discord process: a gateway client that asks the desk and shows its cards.

A command is acknowledged first, privately, and answered by editing that first response. The client
holds one gateway connection, which Discord allows up to 2,500 servers.
"""

import asyncio
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import aiohttp
import discord
from discord import Interaction, InteractionType, app_commands
from discord.gateway import DiscordWebSocket
from discord.http import Route
from yarl import URL

from bot import suggestions
from bot.actions import as_command
from bot.commands.registry import all_commands
from bot.discord.answers import Answers
from bot.discord.asking import asker_of, author_of, has_company, is_direct
from bot.discord.buttons import CardButton, read_custom_id
from bot.discord.commands import MAX_TEXT, WordsTranslator, message_command, slash_command
from bot.discord.digests import DIGEST, managed
from bot.discord.faults import logged, report
from bot.discord.muat_group import MuatGroup
from bot.discord.presses import pressed, sent
from bot.discord.showing import show, tell
from bot.discord.sync import register_commands
from bot.discord.watches import WATCH, watched
from bot.escaping import clip
from bot.language import words
from bot.store.deliveries import take
from planner.errors import BadInput

DRAIN_SECONDS = 20.0
AUTHENTICATION_FAILED = 4004

#: Somebody or something that a message points at, in Discord's own spelling.
_POINTER = re.compile(r"<(?:@[!&]?|#|a?:\w+:|t:|/[^:>]+:)\d+[^>]*>")

log = logging.getLogger(__name__)


class MuatTree(app_commands.CommandTree["MuatClient"]):
    """The commands, and what happens when answering one of them goes wrong."""

    async def on_error(
        self, interaction: Interaction["MuatClient"], error: app_commands.AppCommandError
    ) -> None:
        """Apologise to the asker."""
        await report(interaction, getattr(error, "original", error))


class MuatClient(discord.Client):
    """A Discord client without privileged intents and without the power to mention anybody."""

    def __init__(self, answers: Answers, *, reads_messages: bool = False) -> None:
        # Nobody who runs a bot for text needs a warning that it cannot speak.
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
        super().__init__(
            # Messages arrive without their text, but for mentions of the bot and direct messages.
            # Reading along takes the privileged intent for their content.
            intents=discord.Intents(
                guilds=True, guild_messages=True, dm_messages=True, message_content=reads_messages
            ),
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
        )
        self.answers = answers
        self._reads_messages = reads_messages
        self._answering: set[asyncio.Task[Any]] = set()
        self.tree = MuatTree(self)
        for spec in all_commands().values():
            self.tree.add_command(slash_command(spec, self.answer))
        self.tree.add_command(MuatGroup(answers, self.answer))
        self.tree.add_command(message_command(self.answer_about))
        self.add_dynamic_items(CardButton)

    async def setup_hook(self) -> None:
        """Register the commands once per process, not at every reconnection."""
        await asyncio.to_thread(suggestions.prepare)
        await self.tree.set_translator(WordsTranslator())
        await register_commands(self.tree)

    async def answer(self, interaction: Interaction[Any], text: str) -> None:
        """Acknowledge `interaction` at once, then show what the desk says to `text`."""
        with self._under_way():
            await interaction.response.defer(ephemeral=has_company(interaction), thinking=True)
            if text.startswith(DIGEST):
                out = await managed(self.answers, interaction, text.removeprefix(DIGEST))
            elif text.startswith(WATCH):
                out = await watched(self.answers, interaction, text.removeprefix(WATCH))
            else:
                out = await self.answers.to(text, asker_of(interaction), private=True)
            await show(interaction, out)

    async def answer_about(self, interaction: Interaction[Any], message: discord.Message) -> None:
        """Answer whether what somebody wrote would fit."""
        text = _question_in(message.content)
        if text:
            await self.answer(interaction, as_command(text, "fit"))
            return
        say = words(await self.answers.language(asker_of(interaction)))
        await tell(interaction, say.t("discord.no_text"))

    async def press(self, interaction: Interaction[Any], action: str, key: str) -> None:
        """Answer the press of a button under a card."""
        with self._under_way():
            try:
                await pressed(self.answers, interaction, action, key)
            except Exception as error:  # discord.py would only log it
                await report(interaction, error)

    async def on_interaction(self, interaction: Interaction[Any]) -> None:
        """Answer a form that comes back, whichever process had opened it."""
        data: Any = interaction.data or {}
        ours = read_custom_id(str(data.get("custom_id")))
        if interaction.type is not InteractionType.modal_submit or ours is None:
            return
        with self._under_way():
            try:
                await sent(self.answers, interaction, ours[1])
            except Exception as error:  # discord.py would only log it
                await report(interaction, error)

    async def on_message(self, message: discord.Message) -> None:
        """Answer a message to Muat: one that mentions it, or a direct one. Each is taken once."""
        to_us = is_direct(message) or self.user in message.mentions
        if message.author.bot or not (to_us or self._reads_messages):
            return
        with self._under_way():
            try:
                await (self._reply(message) if to_us else self._reply_unasked(message))
            except discord.Forbidden:
                log.warning("Discord lets Muat not answer in the channel %s.", message.channel.id)
            except Exception as error:  # discord.py would only log it
                say = words(await self.answers.language(author_of(message)))
                with suppress(discord.HTTPException, aiohttp.ClientError):
                    await message.reply(say.t("discord.apology", error_id=logged(error)))

    async def _reply(self, message: discord.Message) -> None:
        answers = self.answers
        delivery = f"message:{message.id}"
        if not await asyncio.to_thread(take, answers.store, "discord", delivery, answers.now()):
            return
        text = _question_in(message.content) or "/help"
        out = await answers.to(text, author_of(message), private=False)
        await message.reply(view=out.view, files=out.files, mention_author=False)

    async def _reply_unasked(self, message: discord.Message) -> None:
        """Answer a question nobody asked Muat, where the channel wants that, as a reply to it."""
        answers, text = self.answers, _question_in(message.content)
        if not text:
            return
        replied_to = message.reference.message_id if message.reference else None
        thread = str(replied_to or message.id)
        out = await answers.unasked(text, author_of(message), thread)
        if out is not None:
            await message.reply(view=out.view, files=out.files, mention_author=False)

    async def close(self) -> None:
        """Hang up once the answers under way are given, or have taken too long."""
        if self._answering:
            await asyncio.wait(self._answering, timeout=DRAIN_SECONDS)
        await super().close()

    @contextmanager
    def _under_way(self) -> Iterator[None]:
        """What runs inside is finished before the client hangs up."""
        if task := asyncio.current_task():
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        yield


def _question_in(content: str) -> str:
    """What a message asks: its text without those it points at, as long as a question may be."""
    return clip(" ".join(_POINTER.sub(" ", content).split()), MAX_TEXT)


def use_servers(api_url: str | None, gateway_url: str | None) -> None:
    """Speak to these servers, not to Discord's own; `api_url` ends in the version ("…/api/v10")."""
    if api_url:
        Route.BASE = api_url.rstrip("/")
    if gateway_url:
        DiscordWebSocket.DEFAULT_GATEWAY = URL(gateway_url)


def build_client(answers: Answers, *, reads_messages: bool = False) -> MuatClient:
    """A client that gives these answers, not yet connected."""
    return MuatClient(answers, reads_messages=reads_messages)


async def serve(
    *,
    token: str | None,
    answers: Answers,
    api_url: str | None = None,
    gateway_url: str | None = None,
    reads_messages: bool = False,
) -> None:
    """Answer on Discord until cancelled, then finish the answers under way.

    A token that is missing or refused and a Discord that cannot be reached are BadInput.
    """
    if not token:
        raise BadInput("discord.missing_token")
    use_servers(api_url, gateway_url)
    # At DEBUG discord.py writes its own token and every interaction's token into the log.
    logging.getLogger("discord").setLevel(logging.INFO)
    async with build_client(answers, reads_messages=reads_messages) as client:
        await _log_in(client, token)
        try:
            await client.connect()
        except discord.ConnectionClosed as closed:
            if closed.code == AUTHENTICATION_FAILED:
                raise BadInput("discord.refused_token") from None
            raise
        except discord.PrivilegedIntentsRequired:
            raise BadInput("discord.intent_missing") from None


async def _log_in(client: MuatClient, token: str) -> None:
    try:
        await client.login(token)
    except discord.LoginFailure:
        raise BadInput("discord.refused_token") from None
    except (discord.HTTPException, aiohttp.ClientError, TimeoutError) as error:
        reason = type(error).__name__
        raise BadInput("discord.unreachable", url=Route.BASE, reason=reason) from None
