"""A card in the terminal: coloured where somebody watches, plain text where it is piped or read."""

import sys
from typing import TYPE_CHECKING, TextIO

from bot.cards.card import Card
from bot.language import Words
from bot.paint import MARKED, unpainted
from bot.render import render_painted

if TYPE_CHECKING:
    from rich.text import Text

#: How each role of bot.paint looks.
STYLES: dict[str, str] = {
    "good": "bold green",
    "warning": "bold yellow",
    "bad": "bold red",
    "neutral": "bold",
    "title": "bold",
    "label": "cyan",
    "dim": "dim",
    "money": "green",
    "weights": "blue",
    "adapters": "bright_blue",
    "gradients": "yellow",
    "optimizer": "magenta",
    "activations": "green",
    "logits": "red",
    "temporary": "bright_yellow",
    "overhead": "white",
    "free": "bright_black",
}
#: What stands in for letters that a terminal without Unicode cannot show.
_ASCII = str.maketrans({"█": "#", "░": "-", "…": "~", "×": "x", "–": "-", "’": "'"})


def show(card: Card, words: Words, file: TextIO | None = None) -> None:
    """Write `card` to `file` (standard output): with colours on a terminal, else as plain text."""
    out = file if file is not None else sys.stdout
    text = encodable(render_painted(card, words), out.encoding or "utf-8")
    if out.isatty():
        from rich.console import Console

        Console(file=out, highlight=False, soft_wrap=True).print(_painted(text), end="")
    else:
        out.write(unpainted(text))


def encodable(text: str, encoding: str) -> str:
    """`text` in letters that `encoding` has, bars and ellipses in ASCII where it lacks them."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_ASCII).encode(encoding, "replace").decode(encoding)
    return text


def _painted(text: str) -> "Text":
    from rich.text import Text

    painted = Text(end="")
    at = 0
    for mark in MARKED.finditer(text):
        painted.append(text[at : mark.start()])
        painted.append(mark[2], style=STYLES[mark[1]])
        at = mark.end()
    painted.append(text[at:])
    return painted
