"""Desks in the real one's place, and the words of a conversation with the local Discord."""

import asyncio
from datetime import UTC, datetime
from typing import get_args

from bot.cards.fit import fit_card
from bot.cards.notice import notice_card
from bot.cards.sample import sample_card, sample_plan
from bot.desk import Answer, Desk
from planner.notes import note
from planner.query import Language
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_interaction import StandInInteraction

LANGUAGES: tuple[Language, ...] = get_args(Language)
LOCALE = {"en": "en-US", "id": "id"}
#: What a model may be called: pings, marks, a turn of direction, 300 characters.
HOSTILE = (
    "@everyone <@&1> <@123456> ``` \u202egnp.exe 🤖 <#1> [x](http://evil.example) " + "x" * 230
)


def real_desk() -> Desk:
    return Desk(None, 1 / 16667, lambda: datetime(2026, 12, 1, 9, tzinfo=UTC))


class SampleDesk:
    """Answers everything with a sample card; remembers what it was asked."""

    def __init__(self, name: str = "fit") -> None:
        self.texts: list[str] = []
        self._name = name

    async def answer(self, text: str, *, language: Language | None = None) -> Answer:
        self.texts.append(text)
        return Answer(sample_card(self._name), language or "en")


class SlowDesk(SampleDesk):
    """Answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.let = asyncio.Event()

    async def answer(self, text: str, *, language: Language | None = None) -> Answer:
        answer = await super().answer(text, language=language)
        await self.let.wait()
        return answer


class BrokenDesk:
    """Fails."""

    async def answer(self, text: str, *, language: Language | None = None) -> Answer:
        raise RuntimeError("the secret reason")


class EchoDesk(SampleDesk):
    """Says the text back, as a note that holds it does."""

    async def answer(self, text: str, *, language: Language | None = None) -> Answer:
        said = note("models.unknown", name=text, suggestions=())
        return Answer(notice_card((said,), "bad"), language or "en")


class LongDesk(SampleDesk):
    """Answers with a card of which a part has no room."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    async def answer(self, text: str, *, language: Language | None = None) -> Answer:
        long = tuple(
            note("discord.apology", error_id=f"{n} " + "x" * 90) for n in range(self._size)
        )
        plan = sample_plan().model_copy(update={"warnings": long})
        return Answer(fit_card(plan, "Llama"), language or "en")


async def answered(interaction: StandInInteraction) -> StandInInteraction:
    await interaction.answered()
    return interaction


async def asked(
    server: DiscordStandIn, language: Language = "en", what: str = "llama-8b qlora on 1x rtx-4090"
) -> StandInInteraction:
    """Somebody has asked /fit and sees the card."""
    return await answered(await server.slash("fit", what=what, locale=LOCALE[language]))
