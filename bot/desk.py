"""The desk: where a text from any surface becomes a card, without ever raising for a user's
mistake.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from bot.cards.card import Card
from bot.commands.registry import Asking, all_commands
from bot.grammar import read
from bot.grammar.command import Command
from bot.metrics import ANSWER_SECONDS, ANSWERS
from planner.errors import Refusal
from planner.notes import note
from planner.query import Language

#: Answers computed at the same time: planning is arithmetic on one core.
AT_ONCE = 2
#: The topic of an answer that is a plan and nothing else.
PLAN_ALONE = "plan"


class Answer(NamedTuple):
    """A card and the language to say it in."""

    card: Card
    language: Language


class Overheard(NamedTuple):
    """An answer nobody asked for, and what it is about."""

    answer: Answer
    topic: str


class Desk:
    """Answers texts. `clock` gives the zone-aware time, so that tests own it."""

    def __init__(
        self, catalog_file: Path | None, usd_per_idr: float, clock: Callable[[], datetime]
    ) -> None:
        self._catalog_file = catalog_file
        self._usd_per_idr = usd_per_idr
        self._clock = clock
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def answer(self, text: str, *, language: Language | None = None) -> Answer:
        """The answer to `text`, computed off the event loop.

        `language` is the reader's own; a text that is clearly in another one is answered in that.
        """
        async with self._turns:
            begun = monotonic()
            try:
                answer = await asyncio.to_thread(self.answer_now, text, language=language)
            except Exception:
                ANSWERS.labels("none", "fault").inc()
                raise
            ANSWER_SECONDS.observe(monotonic() - begun)
            outcome = "refused" if answer.card.kind == "notice" else "answered"
            ANSWERS.labels(answer.card.kind, outcome).inc()
            return answer

    async def overheard(self, text: str, *, language: Language | None = None) -> Overheard | None:
        """The answer to a message that was not meant for Muat; None where it should keep quiet."""
        async with self._turns:
            return await asyncio.to_thread(self._overheard, text, language or "en")

    def _overheard(self, text: str, language: Language) -> Overheard | None:
        from bot.cards.answer import answer_card
        from bot.faq.asking import asked_about

        found = asked_about(text, language, "unasked", self._catalog_file, self._clock())
        if found is None:
            return None
        answer = Answer(answer_card(found), found.language)
        return Overheard(answer, found.topic or PLAN_ALONE)

    def answer_now(self, text: str, *, language: Language | None = None) -> Answer:
        """The answer to `text`, computed here; a user's mistake becomes a card that says what to
        change.
        """
        spoken = language or "en"
        try:
            asked = read(text, usd_per_idr=self._usd_per_idr, reader=spoken)
            spoken = asked.language
            return Answer(self._card(asked, spoken, text), spoken)
        except Refusal as refusal:
            from bot.cards.notice import notice_card

            return Answer(notice_card((refusal.note,), "bad"), spoken)

    def _card(self, asked: Command, language: Language, text: str) -> Card:
        known = all_commands()
        spec = known.get(asked.command)
        if spec is None:
            from bot.cards.notice import notice_card

            code = "errors.not_understood" if asked.command == "unknown" else "errors.not_yet"
            return notice_card((note(code, command=asked.command), *asked.notes), "neutral")
        return spec.answer(asked, Asking(self._catalog_file, self._clock(), language, text))
