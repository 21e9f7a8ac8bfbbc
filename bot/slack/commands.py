"""A slash command: acknowledged first, answered afterwards through its response URL."""

import asyncio
import logging
import re
import secrets
from typing import Any, Protocol

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.cards.card import Card
from bot.language import DEFAULT_LANGUAGE, words
from bot.render import render
from bot.slack.delivery import deliver
from bot.slack.locale import Locales
from planner.query import Language

ANY_COMMAND = re.compile(r"/.+")

log = logging.getLogger(__name__)


class Answer(Protocol):
    """What the desk hands back: a card, and the language it is to be read in."""

    @property
    def card(self) -> Card: ...

    @property
    def language(self) -> Language: ...


class Desk(Protocol):
    """Answers the text of a command. What the asker did wrong comes back as a card too.

    `language` is the reader's own, for a text that does not tell which language it is in.
    """

    async def answer(self, text: str, *, language: Language | None) -> Answer: ...


class SlashCommands:
    """Answers every slash command of the app, each in a task that `drain` can wait for."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._locales = Locales()
        self._answering: set[asyncio.Task[None]] = set()

    def register(self, app: AsyncApp) -> None:
        """Takes all commands: which of them exist is the desk's to know."""

        @app.command(ANY_COMMAND)
        async def answer_command(
            ack: AsyncAck, command: dict[str, Any], client: AsyncWebClient
        ) -> None:
            await ack()
            task = asyncio.create_task(self._answer(command, client))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)

    async def drain(self, seconds: float) -> None:
        """Lets the answers under way finish; gives up on those that need longer than `seconds`."""
        if self._answering:
            _, late = await asyncio.wait(self._answering, timeout=seconds)
            for task in late:
                task.cancel()

    async def _answer(self, command: dict[str, Any], client: AsyncWebClient) -> None:
        language = await self._locales.language_of(
            client, command.get("team_id", ""), command.get("user_id", "")
        )
        try:
            message = await self._message(command, language)
        except Exception:  # the outer edge: whatever broke, the asker gets an answer
            message = _apology(language, "a slash command broke", exc_info=True)
        if not await deliver(command["response_url"], message) and "blocks" in message:
            apology = _apology(language, "a card did not reach Slack", exc_info=False)
            await deliver(command["response_url"], apology)

    async def _message(self, command: dict[str, Any], language: Language | None) -> dict[str, Any]:
        text = f"{command['command']} {_unescaped(command.get('text') or '')}".strip()
        answer = await self._desk.answer(text, language=language)
        rendered = await asyncio.to_thread(render, answer.card, "slack", words(answer.language))
        if not isinstance(rendered, dict):
            raise TypeError("a Slack card is a JSON object")
        return rendered


def _apology(language: Language | None, what: str, *, exc_info: bool) -> dict[str, Any]:
    error_id = secrets.token_hex(4)
    log.error("%s (error id %s)", what, error_id, exc_info=exc_info)
    return {"text": words(language or DEFAULT_LANGUAGE).t("slack.apology", error_id=error_id)}


def _unescaped(text: str) -> str:
    """What was typed: Slack sends &, < and > as entities."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
