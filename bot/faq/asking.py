"""A message to its answer: a topic, a plan, both or neither.

A surface calls `asked_about` with a text, the reader's language and where it was said, and gets an
answer card's content, or None where it should keep quiet.
"""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from bot.faq.facts import Facts, sources_of
from bot.faq.features import is_about
from bot.faq.model import Guess
from bot.faq.topics import guess_of, topic_of
from bot.grammar.command import Command
from bot.grammar.language import detect
from bot.reading import read_text
from planner.errors import BadInput, Refusal
from planner.query import Language

Where = Literal["unasked", "asked", "dm"]
#: A message likelier than this to be about something else is not planned for, unless it names a
#: method to train with.
MOST_OUTSIDE = 0.9
#: Longer messages are read up to here: a question stands near the beginning.
MOST_CHARACTERS = 2000
_SOURCES = {
    "persistent_storage": "network_storage_usd_gb_month",
    "billing_granularity": "billing_granularity",
    "egress_cost": "egress_usd_gb",
    "multi_node_networking": "inter_node_fabric",
    "environment_control": "docker_image",
}


class Asked(NamedTuple):
    """What a message gets. `planned` is a bot.planning.Planned, a Comparison or a PricesBody."""

    topic: str | None
    planned: object | None
    facts: Facts
    language: Language
    confidence: float
    links: tuple[str, ...]

    @property
    def is_answered(self) -> bool:
        """Whether there is anything to say."""
        return self.topic is not None or self.planned is not None


def ask(text: str, reader: Language, catalog_file: Path | None, now: datetime) -> Asked:
    """The topic and the plan for `text`; BadInput where nothing was asked."""
    question = _question(text)
    if not question:
        raise BadInput("cli.no_text")
    guess = guess_of(question)
    topic = topic_of(guess)
    return Asked(
        topic=topic,
        planned=_planned(question, guess, reader, catalog_file, now),
        facts=Facts(catalog_file, now),
        language=detect(question, reader),
        confidence=round(guess.confidence, 3),
        links=sources_of(_SOURCES[topic]) if topic in _SOURCES else (),
    )


def asked_about(
    text: str, reader: Language, where: Where, catalog_file: Path | None, now: datetime
) -> Asked | None:
    """The answer to a message said at `where`; None where a surface should keep quiet.

    Whoever asks Muat gets a polite line even out of scope; in a channel where nobody asked it, only
    a question with an answer is answered.
    """
    if not _question(text):
        return None
    found = ask(text, reader, catalog_file, now)
    if where == "unasked" and found.topic is None and not (found.planned and "?" in text):
        return None
    return found


def _question(text: str) -> str:
    stripped = text.strip()
    if stripped.lower().startswith(("/ask ", "ask ")) or stripped.lower() in ("/ask", "ask"):
        stripped = stripped[stripped.lower().index("ask") + 3 :]
    return stripped.strip()[:MOST_CHARACTERS]


def _planned(
    question: str, guess: Guess, reader: Language, catalog_file: Path | None, now: datetime
) -> object | None:
    try:
        asked = read_text(question, reader)
        if not _is_about_machines(asked, question, guess):
            return None
        return _PLANNERS[asked.command](asked, catalog_file, now)
    except Refusal:
        return None


def _is_about_machines(asked: Command, question: str, guess: Guess) -> bool:
    if asked.command not in _PLANNERS or is_about(question, "serve", "play"):
        return False
    return asked.method is not None or guess.outside < MOST_OUTSIDE


def _fit(asked: Command, catalog_file: Path | None, now: datetime) -> object | None:
    from bot.planning import plan_for

    return plan_for(asked, catalog_file, now)


def _compare(asked: Command, catalog_file: Path | None, now: datetime) -> object | None:
    from bot.comparing import compared, is_comparison

    if not is_comparison(asked):
        return _prices(asked, catalog_file, now)
    return compared(asked, catalog_file, now)


def _prices(asked: Command, catalog_file: Path | None, now: datetime) -> object | None:
    from bot.pricing import prices_for

    found = prices_for(asked, catalog_file, now)
    return found if found.rows else None


_PLANNERS: dict[str, Callable[[Command, Path | None, datetime], object | None]] = {
    "fit": _fit,
    "compare": _compare,
    "prices": _prices,
}
