"""From a text to a message of Discord: the card, its buttons, and what had no room on it."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from discord import ui

from bot.actions import (
    HELPFUL,
    UNHELPFUL,
    actions_under,
    asked_by,
    command_of,
    full_text,
    needs_the_card,
    without_command,
)
from bot.desk import Answer, Overheard
from bot.discord.asking import Asker, language_for
from bot.discord.attachments import attached_to, files_of
from bot.discord.buttons import button_rows
from bot.discord.components import view_from
from bot.discord.showing import Outgoing
from bot.escaping import clip, discord_text
from bot.grammar.command import CommandName
from bot.language import DEFAULT_LANGUAGE, Words, words
from bot.limits import limit
from bot.render import TooLong, render, rest_of
from bot.store.asked import Asked, recall, remember
from bot.store.engine import Store
from bot.store.unasked import Spot, is_wanted, reserve, vote
from planner.query import Language

WHOLE_ANSWER = "muat.txt"
_NAME_SHOWN = 40


class AnswersTexts(Protocol):
    """The desk: bot.desk.Desk, or what a test puts in its place."""

    async def answer(self, text: str, *, language: Language | None = None) -> Answer:
        """The answer to `text` for a reader of `language`."""
        ...

    async def overheard(self, text: str, *, language: Language | None = None) -> Overheard | None:
        """The answer to a message that was not meant for Muat; None to keep quiet."""
        ...


class Answers:
    """What one Discord client answers, from the desk and the team's `store`."""

    def __init__(self, desk: AnswersTexts, store: Store, clock: Callable[[], datetime]) -> None:
        self._desk = desk
        self.store = store
        self.now = clock
        #: Presses whose answers are not there yet: who pressed what.
        self.under_way: set[tuple[str, str]] = set()

    async def language(self, asker: Asker) -> Language:
        """The language to speak to `asker` in."""
        wanted = await asyncio.to_thread(language_for, self.store, asker)
        return wanted or DEFAULT_LANGUAGE

    async def to(self, text: str, asker: Asker, *, private: bool) -> Outgoing:
        """The answer to `text`; a `private` one in a server can be shared there."""
        reader = await asyncio.to_thread(language_for, self.store, asker)
        answer = await self._desk.answer(text, language=reader)
        shareable = private and bool(asker.server)
        return await asyncio.to_thread(self.laid_out, answer, text, asker, shareable)

    async def unasked(self, text: str, asker: Asker, thread: str) -> Outgoing | None:
        """The answer to a message in a channel that wants questions answered; None to keep quiet:
        no question, an answered thread, or a channel that had its share of the hour.
        """
        if not await asyncio.to_thread(is_wanted, self.store, asker.where):
            return None
        reader = await asyncio.to_thread(language_for, self.store, asker)
        found = await self._desk.overheard(text, language=reader)
        if found is None:
            return None
        spot = Spot("discord", asker.server, asker.channel, thread)
        key = await asyncio.to_thread(reserve, self.store, spot, found.topic, self.now())
        if key is None:
            return None
        out, _ = await asyncio.to_thread(_shown, found.answer)
        for row in button_rows((HELPFUL, UNHELPFUL), key, words(found.answer.language)):
            out.view.add_item(row)
        return out

    async def voted(self, key: str, asker: Asker, helpful: bool) -> bool:
        """Keep what `asker` says of an unasked answer; whether there is such an answer."""
        return await asyncio.to_thread(vote, self.store, key, asker.person, helpful, self.now())

    async def question(self, key: str) -> Asked | None:
        """The question behind a button; None where it was forgotten."""
        return await asyncio.to_thread(recall, self.store, key)

    async def shared(self, question: Asked, asker: Asker) -> Outgoing:
        """The answer to `question` as the channel sees it, with the name of who shared it."""
        text = full_text(question)
        answer = await self._desk.answer(text, language=question.language)
        out = await asyncio.to_thread(self.laid_out, answer, text, asker, False)
        name = discord_text(clip(asker.name, _NAME_SHOWN))
        line = words(answer.language).t("discord.shared_by", name=name)
        if out.view.content_length() + len(line) <= limit("discord", "text over the message"):
            out.view.add_item(ui.TextDisplay(line))
        return out

    async def acted(self, action: str, question: Asked, asker: Asker) -> Outgoing:
        """The answer to what `action` under the answer to `question` asks."""
        card = None
        if needs_the_card(action):
            shown = await self._desk.answer(full_text(question), language=question.language)
            card = shown.card
        return await self.to(asked_by(action, question, card), asker, private=True)

    async def rest(self, question: Asked) -> Outgoing:
        """What had no room on the answer to `question`."""
        answer = await self._desk.answer(full_text(question), language=question.language)
        return await asyncio.to_thread(rest_message, answer)

    def laid_out(self, answer: Answer, text: str, asker: Asker, shareable: bool) -> Outgoing:
        """`answer` to `text` as a message, with its buttons."""
        out, is_cut = _shown(answer)
        command = command_of(answer.card)
        actions = actions_under(answer.card, shareable=shareable, is_cut=is_cut)
        if actions and command is not None:
            question = _question(command, answer, text, asker)
            key = remember(self.store, question, self.now())
            for row in button_rows(actions, key, words(answer.language)):
                out.view.add_item(row)
        return out


def _question(command: CommandName, answer: Answer, text: str, asker: Asker) -> Asked:
    typed = without_command(text)
    return Asked(command, typed, answer.language, "discord", asker.server, asker.person)


def rest_message(answer: Answer) -> Outgoing:
    """What of `answer` has no room on its first message; the whole as a file too where one more
    message is not enough.
    """
    say = words(answer.language)
    try:
        rest = rest_of(answer.card, "discord", say) or answer.card
        view = view_from(render(rest, "discord", say))
        if rest_of(rest, "discord", say) is None:
            return Outgoing(view)
    except TooLong:
        view = _in_a_file(say)
    return _with_whole(view, answer)


def _shown(answer: Answer) -> tuple[Outgoing, bool]:
    """The card as a message, and whether something of it has no room there. A card of which even
    what must stay has none is a file.
    """
    say = words(answer.language)
    try:
        view = view_from(render(answer.card, "discord", say))
        out = Outgoing(view, attached_to(view, files_of(answer.card)))
        return out, rest_of(answer.card, "discord", say) is not None
    except TooLong:
        return _with_whole(_in_a_file(say), answer), False


def _in_a_file(say: Words) -> ui.LayoutView:
    return view_from({"type": "text_display", "content": say.t("actions.in_a_file")})


def _with_whole(view: ui.LayoutView, answer: Answer) -> Outgoing:
    """`view` with the whole answer as a text file."""
    whole = render(answer.card, "console", words(answer.language))
    files = files_of(answer.card) or ((WHOLE_ANSWER, whole),)
    return Outgoing(view, attached_to(view, files))
