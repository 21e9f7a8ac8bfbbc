"""What `muat ask` answers, as its JSON."""

from typing import Any

from pydantic import SerializeAsAny

from bot.cards.bodies import PricesBody
from bot.faq.asking import Asked
from bot.faq.wording import paragraphs
from bot.language import Words
from bot.planning import Planned
from planner.base import Frozen
from planner.plan.compare import Comparison
from planner.plan.result import Plan
from planner.query import Language


class AskAnswer(Frozen):
    """The topic and the plan a message gets, either or both null, and the answer in words, null
    where Muat abstains. `confidence` is that of the likeliest topic; `links` are the sources of
    the terms shown.
    """

    topic: str | None
    plan: SerializeAsAny[Plan | Comparison | PricesBody] | None
    answer: str | None
    language: Language
    confidence: float
    links: tuple[str, ...]


def answer_of(asked: Asked, words: Words) -> AskAnswer:
    """`asked` in words."""
    planned: Any = asked.planned
    return AskAnswer(
        topic=asked.topic,
        plan=planned.plan if isinstance(planned, Planned) else planned,
        answer="\n\n".join(paragraphs(asked, words)) if asked.is_answered else None,
        language=words.language,
        confidence=asked.confidence,
        links=asked.links,
    )
