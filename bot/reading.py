"""`muat parse`: a text as the grammar reads it."""

from collections.abc import Mapping

from bot.grammar import read
from bot.grammar.command import Command
from bot.settings import answer_settings
from planner.errors import BadInput
from planner.query import Language


def read_text(text: str, reader: Language | None = None) -> Command:
    """The reading of `text` with this deployment's rupiah rate; BadInput where nothing was asked.

    `reader` is the asker's language, for a text that does not tell which one it is in.
    """
    if not text.strip():
        raise BadInput("cli.no_text")
    return read(text, usd_per_idr=1 / answer_settings().idr_per_usd, reader=reader or "en")


def read_line(line: Mapping[str, object]) -> Command:
    """The reading of one JSON object with a text."""
    text = line.get("text")
    if not isinstance(text, str):
        raise BadInput("cli.no_text")
    return read_text(text)
