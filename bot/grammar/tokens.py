"""Words of a message with their places, so that readers can take some and leave the rest."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

_EDGES = "\"'()[]{}!?;:*~|#"
_ENDS_A_PHRASE = frozenset(",;!?|&+-")


class Token(NamedTuple):
    """One word: `text` in lower case, `raw` as typed; neighbours have neighbouring positions."""

    text: str
    raw: str
    position: int


Tokens = tuple[Token, ...]


def tokenise(text: str, split: Callable[[str], tuple[str, ...]], start: int = 0) -> Tokens:
    """The words of a normalised text; `split` takes apart what was typed as one.

    A comma, a dash or the end of a sentence leaves a gap in the positions.
    """
    found: list[Token] = []
    position = start
    for chunk in text.split():
        raw = chunk.strip(_EDGES)
        raw = raw.rstrip(".,") if len(raw) > 1 else raw
        raw = raw.strip(_EDGES)
        if raw and raw not in _ENDS_A_PHRASE:
            for part in split(raw):
                found.append(Token(part.lower(), part, position))
                position += 1
        if chunk[-1] in _ENDS_A_PHRASE or chunk.endswith("."):
            position += 1
    return tuple(found)


def run(tokens: Tokens, index: int, length: int) -> Tokens | None:
    """`length` tokens from `index` on when they are neighbours, else None."""
    part = tokens[index : index + length]
    if index < 0 or len(part) < length or part[-1].position - part[0].position != length - 1:
        return None
    return part


def runs(tokens: Tokens, index: int, longest: int) -> Iterator[Tokens]:
    """The runs of neighbours that start at `index`, the longest first."""
    for length in range(min(longest, len(tokens) - index), 0, -1):
        part = run(tokens, index, length)
        if part is not None:
            yield part


def without(tokens: Tokens, taken: Iterable[Token]) -> Tokens:
    """The tokens that are not taken."""
    gone = {token.position for token in taken}
    return tuple(token for token in tokens if token.position not in gone) if gone else tokens


def joined(tokens: Iterable[Token]) -> str:
    """The words as typed, with single spaces."""
    return " ".join(token.raw for token in tokens)


def replaced(tokens: Tokens, words: Mapping[int, tuple[str, ...]]) -> Tokens:
    """The tokens with other words at some positions; gaps stay where they were."""
    found: list[Token] = []
    shift = 0
    for token in tokens:
        parts = words.get(token.position, (token.raw,))
        for part in parts:
            found.append(Token(part.lower(), part, token.position + shift))
            shift += 1
        shift -= 1
    return tuple(found)


def is_spread(words: Sequence[str]) -> bool:
    """Whether a lone letter stands before a number: "a 100" is not the start of a name."""
    return any(len(a) == 1 and b[0].isdigit() for a, b in pairwise(words))
