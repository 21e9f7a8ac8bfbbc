"""Plain text laid out for a terminal: at most 100 columns of the cells that a terminal draws."""

import unicodedata
from collections.abc import Sequence

from bot.escaping import clean
from bot.paint import Role, paint, unpainted

WIDTH = 100
LABEL = 12
_GAP = "  "


def cells(text: str) -> int:
    """How many columns `text` takes: two for wide East Asian letters and emoji, none for marks."""
    return len(text) if text.isascii() else sum(_cells_of(character) for character in text)


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
    return _filled(clean(text).split(" "), width)


def _filled(words: Sequence[str], width: int) -> list[str]:
    lines: list[str] = [""]
    for word in words:
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
    return _labelled(label, wrap(text, WIDTH - LABEL - indent), role, indent)


def chain(label: str, items: Sequence[str], glue: str) -> str:
    """`items` joined by `glue` beside a label, wrapped between items only."""
    glued = [clean(item) + glue for item in items[:-1]] + [clean(item) for item in items[-1:]]
    return _labelled(label, _filled(glued, WIDTH - LABEL), None, 0)


def _labelled(label: str, lines: list[str], role: Role | None, indent: int) -> str:
    gutter = " " * indent
    return f"\n{' ' * LABEL}{gutter}".join(
        [beside(label, gutter + _painted(lines[0], role)), *(_painted(x, role) for x in lines[1:])]
    )


def beside(label: str, line: str) -> str:
    """One line, already laid out, beside a label."""
    head = _padded(fit(clean(label), LABEL - 1), LABEL, "<")
    return (paint(head, "label") if label else head) + line


def meter(label: str, bar: str, text: str) -> str:
    """A painted bar beside a label, then `text`, wrapped in what room there is."""
    used = LABEL + cells(unpainted(bar)) + len(_GAP)
    lines = wrap(text, WIDTH - used)
    return f"\n{' ' * used}".join([beside(label, bar) + _GAP + lines[0], *lines[1:]])


def paragraph(text: str, role: Role | None = None) -> str:
    """`text` wrapped over the whole width."""
    return "\n".join(_painted(line, role) for line in wrap(text, WIDTH))


def table(
    rows: Sequence[Sequence[str]],
    align: str,
    roles: Sequence[Role | None] = (),
    width: int = WIDTH - LABEL,
) -> list[str]:
    """One line per row, columns aligned as `align` says ("<>"), the widest cut until all fit."""
    cleaned = [[clean(cell) for cell in line] for line in rows]
    widths = [max(cells(cell) for cell in column) for column in zip(*cleaned, strict=True)]
    while sum(widths) + len(_GAP) * (len(widths) - 1) > width:
        widths[widths.index(max(widths))] -= 1
    painted = [*roles, *[None] * (len(widths) - len(roles))]
    return [
        _GAP.join(
            _painted(_padded(fit(cell, room), room, side), role)
            for cell, room, side, role in zip(line, widths, align, painted, strict=True)
        ).rstrip()
        for line in cleaned
    ]


def _painted(text: str, role: Role | None) -> str:
    return paint(text, role) if role else text


def _padded(text: str, width: int, side: str) -> str:
    space = " " * (width - cells(text))
    return space + text if side == ">" else text + space
