"""Plain text laid out for a terminal: at most 100 columns of the cells that a terminal draws."""

import unicodedata
from collections.abc import Sequence

from bot.escaping import clean
from bot.paint import Role, paint

WIDTH = 100
LABEL = 12
_GAP = "  "


def cells(text: str) -> int:
    """How many columns `text` takes: two for wide East Asian letters and emoji, none for marks."""
    return sum(_cells_of(character) for character in text)


def _cells_of(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def fit(text: str, width: int) -> str:
    """`text` cut with an ellipsis so that it takes at most `width` columns."""
    if cells(text) <= width:
        return text
    kept, used = "", 1
    for character in text:
        used += _cells_of(character)
        if used > width:
            break
        kept += character
    return kept + "…" if width > 0 else ""


def wrap(text: str, width: int) -> list[str]:
    """`text` as lines of at most `width` columns, broken between words, or in a longer word."""
    lines: list[str] = [""]
    for word in clean(text).split(" "):
        for piece in _pieces(word, width):
            joined = f"{lines[-1]} {piece}" if lines[-1] else piece
            if cells(joined) <= width:
                lines[-1] = joined
            else:
                lines.append(piece)
    return lines


def _pieces(word: str, width: int) -> list[str]:
    pieces, piece, used = [], "", 0
    for character in word:
        size = _cells_of(character)
        if used + size > width:
            pieces.append(piece)
            piece, used = "", 0
        piece, used = piece + character, used + size
    return [*pieces, piece]


def row(label: str, text: str, role: Role | None = None, indent: int = 0) -> str:
    """`text` wrapped beside a label, which stands on the first line only."""
    room = WIDTH - LABEL - indent
    head = paint(_padded(fit(label, LABEL - 1), LABEL, "<"), "label") if label else " " * LABEL
    lines = [paint(line, role) if role else line for line in wrap(text, room)]
    gutter = " " * indent
    return f"\n{' ' * LABEL}{gutter}".join([head + gutter + lines[0], *lines[1:]])


def spread(left: str, right: str, left_role: Role, right_role: Role) -> str:
    """Two texts on one line, at its two ends; on two lines where they do not fit on one."""
    left, right = clean(left), clean(right)
    space = WIDTH - cells(left) - cells(right)
    if space >= len(_GAP):
        return paint(left, left_role) + " " * space + paint(right, right_role)
    lines = [paint(line, left_role) for line in wrap(left, WIDTH)]
    return "\n".join([*lines, *(paint(line, right_role) for line in wrap(right, WIDTH))])


def table(
    rows: Sequence[Sequence[str]],
    align: str,
    roles: Sequence[Role | None] = (),
    width: int = WIDTH - LABEL,
) -> list[str]:
    """One line per row, columns aligned as `align` says ("<" or ">"), the widest cut until all fit."""
    cleaned = [[clean(cell) for cell in cells_of_row] for cells_of_row in rows]
    widths = [max(cells(cell) for cell in column) for column in zip(*cleaned, strict=True)]
    while sum(widths) + len(_GAP) * (len(widths) - 1) > width:
        widths[widths.index(max(widths))] -= 1
    lines = []
    for cells_of_row in cleaned:
        parts = [
            _painted(_padded(fit(cell, room), room, side), role)
            for cell, room, side, role in zip(
                cells_of_row, widths, align, [*roles, *[None] * len(widths)], strict=False
            )
        ]
        lines.append(_GAP.join(parts).rstrip())
    return lines


def _painted(text: str, role: Role | None) -> str:
    return paint(text, role) if role else text


def _padded(text: str, width: int, side: str) -> str:
    space = " " * (width - cells(text))
    return space + text if side == ">" else text + space
