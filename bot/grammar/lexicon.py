"""What the words of each language mean, from data/words.csv: phrase to kind and value."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from bot.grammar.tokens import Token, Tokens, runs
from planner.data_files import read_rows

LONGEST_PHRASE = 4
#: Several readers look at the same words: how many answers to keep.
REMEMBERED = 4096
_JOINTS = re.compile(r"[\s\-_']+")


class Meaning(NamedTuple):
    """What a phrase says: `kind` is the sort, `value` which one; a blank language is "any"."""

    kind: str
    value: str
    language: str


class Match(NamedTuple):
    """A phrase found in a text."""

    meaning: Meaning
    tokens: Tokens


def fold(phrase: str) -> str:
    """How phrases are compared: lower case, without spaces, hyphens and apostrophes."""
    return _JOINTS.sub("", phrase.lower())


@cache
def _meanings() -> dict[str, tuple[Meaning, ...]]:
    found: dict[str, tuple[Meaning, ...]] = {}
    for row in read_rows("bot.grammar", "words.csv"):
        meaning = Meaning(row["kind"], row["value"], row["language"])
        for phrase in row["phrases"].split(";"):
            key = fold(phrase)
            found[key] = (*found.get(key, ()), meaning)
    return found


@lru_cache(maxsize=REMEMBERED)
def meanings(phrase: str) -> tuple[Meaning, ...]:
    """Everything a phrase can mean."""
    return _meanings().get(fold(phrase), ())


@cache
def phrases_of(kind: str) -> Mapping[str, str]:
    """Folded phrase to value for one kind."""
    return {
        phrase: meaning.value
        for phrase, all_of_it in _meanings().items()
        for meaning in all_of_it
        if meaning.kind == kind
    }


def match_at(tokens: Tokens, index: int, *kinds: str) -> Match | None:
    """The longest phrase of one of `kinds` that starts at `index`."""
    for part in runs(tokens, index, LONGEST_PHRASE):
        found = _match(part, kinds)
        if found is not None:
            return found
    return None


def match_before(tokens: Tokens, token: Token, *kinds: str) -> Match | None:
    """The longest phrase of one of `kinds` that ends right before `token`."""
    tail = neighbours_before(tokens, token)
    for start in range(len(tail)):
        found = _match(tail[start:], kinds)
        if found is not None:
            return found
    return None


def neighbours_before(tokens: Tokens, token: Token) -> Tokens:
    """The tokens, as many as a phrase may have, that stand right before `token` without a gap."""
    before = tuple(other for other in tokens if other.position < token.position)
    tail = before[-LONGEST_PHRASE:]
    found: list[Token] = []
    for other in reversed(tail):
        if other.position != token.position - 1 - len(found):
            break
        found.append(other)
    return tuple(reversed(found))


def scan(tokens: Tokens, *kinds: str) -> tuple[Match, ...]:
    """Every phrase of `kinds` (any, where none is given), from left to right, the longest first."""
    found: list[Match] = []
    index = 0
    while index < len(tokens):
        match = match_at(tokens, index, *kinds)
        if match:
            found.append(match)
        index += len(match.tokens) if match else 1
    return tuple(found)


def _match(part: Tokens, kinds: tuple[str, ...]) -> Match | None:
    for meaning in meanings(" ".join(token.text for token in part)):
        if not kinds or meaning.kind in kinds:
            return Match(meaning, part)
    return None
