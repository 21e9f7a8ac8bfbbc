"""From a text to a message of Slack: the card, its buttons, and what had no room on it."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol

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
from bot.cards.card import Card
from bot.escaping import clean, clip, mrkdwn
from bot.language import DEFAULT_LANGUAGE, Words, words
from bot.render import render, rest_of
from bot.slack.asking import Asker, language_for
from bot.slack.buttons import buttons_block
from bot.store.asked import Asked, recall, remember
from bot.store.engine import Store
from bot.store.unasked import Spot, is_wanted, reserve, vote
from planner.query import Language

Message = dict[str, Any]
_NAME_SHOWN = 40


class Answer(Protocol):
    """What the desk hands back: a card, and the language it is to be read in."""

    @property
    def card(self) -> Card: ...

    @property
    def language(self) -> Language: ...


class Overheard(Protocol):
    """An answer nobody asked for, and what it is about."""

    @property
    def answer(self) -> Answer: ...

    @property
    def topic(self) -> str: ...


class AnswersTexts(Protocol):
    """The desk: answers the text of a command. What the asker did wrong comes back as a card too.

    `language` is the reader's own, for a text that does not tell which language it is in.
    """

    async def answer(self, text: str, *, language: Language | None) -> Answer: ...

    async def overheard(self, text: str, *, language: Language | None) -> Overheard | None: ...


class Answers:
    """What one Slack app answers, from the desk and the team's `store`."""

    def __init__(self, desk: AnswersTexts, store: Store, clock: Callable[[], datetime]) -> None:
        self._desk = desk
        self.store = store
        self.now = clock

    async def language(self, asker: Asker) -> Language:
        """The language to speak to `asker` in."""
        wanted = await asyncio.to_thread(language_for, self.store, asker)
        return wanted or DEFAULT_LANGUAGE

    async def to(self, text: str, asker: Asker, *, private: bool) -> Message:
        """The answer to `text`; a `private` one can be shared with the channel."""
        reader = await asyncio.to_thread(language_for, self.store, asker)
        answer = await self._desk.answer(text, language=reader)
        return await asyncio.to_thread(self._laid_out, answer, text, asker, private)

    async def unasked(self, text: str, asker: Asker, thread: str) -> Message | None:
        """The answer to a message in a channel that wants questions answered; None to keep quiet:
        no question, an answered thread, or a channel that had its share of the hour.
        """
        if not await asyncio.to_thread(is_wanted, self.store, asker.where):
            return None
        reader = await asyncio.to_thread(language_for, self.store, asker)
        found = await self._desk.overheard(text, language=reader)
        if found is None:
            return None
        spot = Spot("slack", asker.team, asker.channel, thread)
        key = await asyncio.to_thread(reserve, self.store, spot, found.topic, self.now())
        if key is None:
            return None
        say = words(found.answer.language)
        below = buttons_block((HELPFUL, UNHELPFUL), key, say)
        return await asyncio.to_thread(render, found.answer.card, "slack", say, below=(below,))

    async def voted(self, key: str, asker: Asker, helpful: bool) -> bool:
        """Keep what `asker` says of an unasked answer; whether there is such an answer."""
        return await asyncio.to_thread(vote, self.store, key, asker.person, helpful, self.now())

    async def acted(self, action: str, question: Asked, asker: Asker) -> Message:
        """The answer to what `action` under the answer to `question` asks."""
        card = None
        if needs_the_card(action):
            shown = await self._desk.answer(full_text(question), language=question.language)
            card = shown.card
        return await self.to(asked_by(action, question, card), asker, private=True)

    async def question(self, key: str) -> Asked | None:
        """The question behind a button; None where it was forgotten."""
        return await asyncio.to_thread(recall, self.store, key)

    async def shared(self, question: Asked, asker: Asker) -> Message:
        """The answer to `question` as the channel sees it, with the name of who shared it."""
        text = full_text(question)
        answer = await self._desk.answer(text, language=question.language)
        message = await asyncio.to_thread(self._laid_out, answer, text, asker, False)
        name = clip(clean(asker.name), _NAME_SHOWN)
        by = words(answer.language).t("slack.shared_by", person=name)
        note = {"type": "context", "elements": [{"type": "plain_text", "text": by}]}
        return {**message, "blocks": [*message["blocks"], note]} if name else message

    async def rest(self, question: Asked) -> Message:
        """What had no room on the answer to `question`."""
        answer = await self._desk.answer(full_text(question), language=question.language)
        say = words(answer.language)
        rest = await asyncio.to_thread(rest_of, answer.card, "slack", say)
        return await asyncio.to_thread(render, rest or answer.card, "slack", say)

    def _laid_out(self, answer: Answer, text: str, asker: Asker, shareable: bool) -> Message:
        """`answer` to `text` as a message, with its buttons."""
        say, command = words(answer.language), command_of(answer.card)
        if command is None:
            return render(answer.card, "slack", say)
        most = actions_under(answer.card, shareable=shareable, is_cut=True)
        if not most:
            return render(answer.card, "slack", say)
        question = Asked(
            command, without_command(text), answer.language, "slack", asker.team, asker.person
        )
        key = remember(self.store, question, self.now())
        widest = buttons_block(most, key, say)
        is_cut = rest_of(answer.card, "slack", say, below=(widest,)) is not None
        actions = actions_under(answer.card, shareable=shareable, is_cut=is_cut)
        if not actions:
            return render(answer.card, "slack", say)
        return render(answer.card, "slack", say, below=(buttons_block(actions, key, say),))


def sentence(code: str, say: Words, **values: str) -> Message:
    """A message of one sentence."""
    return {"text": mrkdwn(say.t(code, **values))}
