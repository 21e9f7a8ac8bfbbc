"""Free text to a Command, in English and Indonesian: `read` is the one way in."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.grammar.command import Command
    from planner.query import Language

#: Rupiah per US dollar is a setting of the caller's; this is its default.
DEFAULT_USD_PER_IDR = 1 / 16667


def read(
    text: str, *, usd_per_idr: float = DEFAULT_USD_PER_IDR, reader: "Language" = "en"
) -> "Command":
    """The command a text asks for; BadInput names what cannot be read and what to write instead.

    `reader` is the asker's own language, for a text that does not tell which one it is in.
    """
    # The readers and their word lists load with the first text, not with the package.
    from bot.grammar.reader import read as read_text

    return read_text(text, usd_per_idr=usd_per_idr, reader=reader)
