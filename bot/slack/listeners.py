"""Everything Slack sends, acknowledged first and answered afterwards, each in a task of its own."""

import asyncio
import logging
import re
import secrets
from collections.abc import Coroutine
from typing import Any

import aiohttp
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.actions import CHANGE, HELPFUL, MORE, SHARE, UNHELPFUL, WATCH, as_command
from bot.changing import form_of
from bot.language import DEFAULT_LANGUAGE, words
from bot.settings import answer_settings
from bot.slack.answers import Answers, Message, sentence
from bot.slack.asking import Asker, asker_from, unescaped
from bot.slack.buttons import PREFIX, read_action
from bot.slack.delivery import deliver
from bot.slack.digest_command import answer_digest
from bot.slack.forms import CALLBACK, change_form, read_form
from bot.slack.locale import Locales
from bot.slack.muat_command import answer_muat
from bot.slack.watch_command import COMMAND as WATCH_COMMAND
from bot.slack.watch_command import answer_watch, watch_cheaper
from bot.store.asked import Asked
from bot.store.deliveries import give_back, take
from planner.query import Language

ANY_COMMAND = re.compile(r"/.+")
ANY_BUTTON = re.compile(f"{PREFIX}.+")
SHORTCUT = "muat_will_it_fit"
_MENTION = re.compile(r"<@[A-Z0-9]+(\|[^>]*)?>")
_FORMATTED_LINK = re.compile(r"<(https?://[^|>]+)(\|[^>]*)?>")
MOST_LETTERS = 500
#: How long a process that is told to end waits for the answers under way.
DRAIN_SECONDS = 20.0

log = logging.getLogger(__name__)


class Listeners:
    """Answers one app. `drain` waits for the answers under way."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._locales = Locales()
        self._answering: set[asyncio.Task[None]] = set()
        self._under_way: set[tuple[str, str]] = set()

    def register(self, app: AsyncApp) -> None:
        """Takes commands, buttons, forms, the message shortcut, mentions and direct messages."""

        @app.command(ANY_COMMAND)
        async def on_command(
            ack: AsyncAck, command: dict[str, Any], client: AsyncWebClient
        ) -> None:
            await ack()
            self._start(self._command(command, client))

        @app.action(ANY_BUTTON)
        async def on_press(ack: AsyncAck, body: dict[str, Any], client: AsyncWebClient) -> None:
            await ack()
            self._start(self._press(body, client))

        @app.view(CALLBACK)
        async def on_form(ack: AsyncAck, body: dict[str, Any], client: AsyncWebClient) -> None:
            await ack()
            self._start(self._form(body, client))

        @app.shortcut(SHORTCUT)
        async def on_shortcut(ack: AsyncAck, body: dict[str, Any], client: AsyncWebClient) -> None:
            await ack()
            self._start(self._shortcut(body, client))

        @app.event("app_mention")
        @app.event("message")
        async def on_message(ack: AsyncAck, body: dict[str, Any], client: AsyncWebClient) -> None:
            await ack()
            event = body["event"]
            if _is_asked(event) or _is_overheard(event):
                self._start(self._message(body, client))

    async def drain(self, seconds: float) -> None:
        """Lets the answers under way finish; gives up on those that need longer than `seconds`."""
        if self._answering:
            _, late = await asyncio.wait(self._answering, timeout=seconds)
            for task in late:
                task.cancel()

    def _start(self, answering: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(answering)
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _asker(self, payload: dict[str, Any], client: AsyncWebClient) -> Asker:
        person = payload.get("user_id") or payload["user"]["id"]
        team = payload.get("team_id") or (payload.get("team") or {}).get("id", "")
        return asker_from(payload, await self._locales.language_of(client, team, person))

    async def _command(self, command: dict[str, Any], client: AsyncWebClient) -> None:
        asker = await self._asker(command, client)
        typed = unescaped(command.get("text") or "")
        name = str(command["command"])

        async def answer() -> Message:
            if name == "/muat":
                return await answer_muat(self._answers, client, asker, typed)
            if name == "/digest":
                return await answer_digest(self._answers, client, asker, typed)
            if name == WATCH_COMMAND:
                return await answer_watch(self._answers, client, asker, typed)
            return await self._answers.to(f"{name} {typed}".strip(), asker, private=True)

        await _reply(command["response_url"], asker.language, answer())

    async def _press(self, body: dict[str, Any], client: AsyncWebClient) -> None:
        """The presser alone sees the answer, whoever's card it was."""
        action, key = read_action(body["actions"][0])
        response_url = str(body.get("response_url") or "")
        asker = await self._asker(body, client)
        if action in (HELPFUL, UNHELPFUL):
            known = await self._answers.voted(key, asker, action == HELPFUL)
            code = "actions.thanks" if known else "actions.too_old"
            await _reply(response_url, asker.language, self._say(code, asker))
            return
        press = (asker.person, f"{action}:{key}")
        if press in self._under_way:
            await _reply(response_url, asker.language, self._say("actions.pressed_twice", asker))
            return
        self._under_way.add(press)
        try:
            question = await self._answers.question(key)
            if question is None:
                said = self._say("actions.too_old", asker)
                await _reply(response_url, asker.language, said)
            elif action == CHANGE:
                await self._open_form(body, client, question, key)
            elif action == SHARE:
                await self._share(response_url, question, key, asker)
            else:
                acted = self._acted(action, question, asker, client)
                await _reply(response_url, asker.language, acted)
        finally:
            self._under_way.discard(press)

    async def _acted(
        self, action: str, question: Asked, asker: Asker, client: AsyncWebClient
    ) -> Message:
        if action == MORE:
            return await self._answers.rest(question)
        if action == WATCH:
            return await watch_cheaper(self._answers, client, asker, question)
        return await self._answers.acted(action, question, asker)

    async def _open_form(
        self, body: dict[str, Any], client: AsyncWebClient, question: Asked, key: str
    ) -> None:
        response_url = str(body.get("response_url") or "")
        try:
            rate = 1 / answer_settings().idr_per_usd
            parts = await asyncio.to_thread(form_of, question, rate, MOST_LETTERS)
            view = change_form(parts, question.language, key, response_url)
            await client.views_open(trigger_id=body["trigger_id"], view=view)
        except SlackApiError as error:
            log.warning("a form did not open (%s)", error.response.get("error"))
            say = words(question.language)
            await deliver(response_url, sentence("slack.form_late", say))

    async def _share(self, response_url: str, question: Asked, key: str, asker: Asker) -> None:
        """Show the channel what its asker alone has seen, once."""
        now, store = self._answers.now(), self._answers.store
        if (question.asker, question.place) != (asker.person, asker.team):
            await _reply(response_url, asker.language, self._say("actions.not_yours", asker))
        elif not await asyncio.to_thread(take, store, "slack", f"share:{key}", now):
            await _reply(response_url, asker.language, self._say("actions.shared_already", asker))
        else:
            shared = self._answers.shared(question, asker)
            await _reply(response_url, asker.language, shared, in_channel=True)

    async def _form(self, body: dict[str, Any], client: AsyncWebClient) -> None:
        key, response_url, written = read_form(body["view"])
        asker = await self._asker(body, client)
        question = await self._answers.question(key)
        text = as_command(written, question.command if question else "fit")
        await _reply(response_url, asker.language, self._answers.to(text, asker, private=True))

    async def _shortcut(self, body: dict[str, Any], client: AsyncWebClient) -> None:
        """ "Will this fit?" under a message: its text as a question to /fit."""
        asker = await self._asker(body, client)
        text = _plain(str((body.get("message") or {}).get("text") or ""))
        answer = self._answers.to(as_command(text, "fit"), asker, private=True)
        await _reply(str(body.get("response_url") or ""), asker.language, answer)

    async def _message(self, body: dict[str, Any], client: AsyncWebClient) -> None:
        """A mention or a direct message, answered once however often it is delivered."""
        event, store = body["event"], self._answers.store
        delivery = f"event:{body['event_id']}"
        if not await asyncio.to_thread(take, store, "slack", delivery, self._answers.now()):
            return
        team, person = body.get("team_id", ""), event["user"]
        language = await self._locales.language_of(client, team, person)
        asker = Asker(person, "", team, event["channel"], language)
        thread = event.get("thread_ts")
        if event.get("channel_type") != "im":
            thread = thread or event["ts"]
        message = await self._said(_plain(event.get("text", "")), asker, event, str(thread))
        if message is None:
            return
        try:
            await client.chat_postMessage(
                channel=event["channel"], thread_ts=thread, unfurl_links=False, **message
            )
        except (SlackApiError, aiohttp.ClientError, TimeoutError) as error:
            log.error("an answer could not be posted (%s)", type(error).__name__)
            await asyncio.to_thread(give_back, store, "slack", delivery)

    async def _said(
        self, text: str, asker: Asker, event: dict[str, Any], thread: str
    ) -> Message | None:
        """The answer to a message; None where nobody asked and there is nothing to say."""
        asked = _is_asked(event)
        try:
            if not asked:
                return await self._answers.unasked(text, asker, thread)
            return await self._answers.to(text, asker, private=False)
        except Exception:  # the outer edge: whatever broke, whoever asked gets an answer
            apology = _apology(asker.language, "a message broke", exc_info=True)
            return apology if asked else None

    async def _say(self, code: str, asker: Asker) -> Message:
        return sentence(code, words(await self._answers.language(asker)))


async def _reply(
    response_url: str,
    language: Language | None,
    answering: Coroutine[Any, Any, Message],
    *,
    in_channel: bool = False,
) -> None:
    """Send what `answering` gives to the asker alone, or to the channel; a fault becomes an
    apology.
    """
    try:
        message = await answering
    except Exception:  # the outer edge: whatever broke, the asker gets an answer
        message, in_channel = _apology(language, "an answer broke", exc_info=True), False
    if in_channel:
        message = {**message, "response_type": "in_channel"}
    if not await deliver(response_url, message) and "blocks" in message:
        apology = _apology(language, "a card did not reach Slack", exc_info=False)
        await deliver(response_url, apology)


def _apology(language: Language | None, what: str, *, exc_info: bool) -> Message:
    error_id = secrets.token_hex(4)
    log.error("%s (error id %s)", what, error_id, exc_info=exc_info)
    return {"text": words(language or DEFAULT_LANGUAGE).t("slack.apology", error_id=error_id)}


def _is_asked(event: dict[str, Any]) -> bool:
    """Whether a person speaks to the bot: a mention, or a direct message that nobody edited."""
    if event.get("bot_id") or event.get("subtype") or not event.get("user"):
        return False
    return event["type"] == "app_mention" or event.get("channel_type") == "im"


def _is_overheard(event: dict[str, Any]) -> bool:
    """Whether a person says something in a channel that was not meant for the bot."""
    if event.get("bot_id") or event.get("subtype") or not event.get("user"):
        return False
    text = str(event.get("text") or "")
    return event.get("channel_type") in ("channel", "group") and not _MENTION.search(text)


def _plain(text: str) -> str:
    """The words of a message, without the mention that called for an answer."""
    without = _FORMATTED_LINK.sub(r"\1", _MENTION.sub(" ", text))
    return " ".join(unescaped(without).split())[:MOST_LETTERS]
