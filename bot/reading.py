"""`muat parse`: a text as the grammar reads it."""

from collections.abc import Mapping

from bot.grammar import read
from bot.grammar.command import Command
from bot.settings import settings
from planner.errors import BadInput


def read_text(text: str) -> Command:
    """The reading of `text` with this deployment's rupiah rate; BadInput where nothing was
    asked.
    """
    if not text.strip():
        raise BadInput("cli.no_text")
    return read(text, usd_per_idr=1 / settings().idr_per_usd)


def read_line(line: Mapping[str, object]) -> Command:
    """The reading of one JSON object with a text."""
    text = line.get("text")
    if not isinstance(text, str):
        raise BadInput("cli.no_text")
    return read_text(text)
