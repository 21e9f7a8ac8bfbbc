"""Where and from whom: a region or a place, and providers."""

import re
from typing import NamedTuple

from bot.grammar.lexicon import match_before, meanings
from bot.grammar.tokens import Token, Tokens, joined, runs, without
from planner.catalog.providers import find_provider
from planner.catalog.regions import find_region

_LONGEST_NAME = 4
_REGION_ID = re.compile(r"^[a-z]{2,12}(?:-[a-z]+)+-?\d{1,2}(?:-?[a-z])?$")
#: "us", "in" and "id" are words too: a place this short needs a word such as "region" before it.
_SHORT = 3


class Place(NamedTuple):
    """The region as the catalog reads it, the providers, and the tokens left."""

    region: str | None
    providers: tuple[str, ...]
    rest: Tokens


def read_place(tokens: Tokens) -> Place:
    """The first region and every provider a text names."""
    region, tokens = _region(tokens)
    providers, tokens = _providers(tokens)
    return Place(region, providers, tokens)


def _region(tokens: Tokens) -> tuple[str | None, Tokens]:
    for index in range(len(tokens)):
        for part in runs(tokens, index, _LONGEST_NAME):
            cue = match_before(tokens, part[0], "near", "in_place")
            if not _may_be_place(part, cue is not None):
                continue
            taken = (*cue.tokens, *part) if cue else part
            near = cue is not None and cue.meaning.kind == "near"
            found = find_region(joined(taken)) if near else None
            found = found or find_region(joined(part))
            if found is not None:
                return found.label, without(tokens, taken)
    return None, tokens


def _may_be_place(part: Tokens, has_cue: bool) -> bool:
    if len(part) > 1:
        return not _is_filler(part[0]) and not _is_filler(part[-1])
    word = part[0]
    if any(map(str.isdigit, word.text)):
        return _REGION_ID.match(word.text) is not None or (has_cue and "-" in word.text)
    if len(word.text) <= _SHORT:
        return has_cue and (word.raw.isupper() or not _is_filler(word))
    return not meanings(word.text)


def _is_filler(token: Token) -> bool:
    return any(meaning.kind == "filler" for meaning in meanings(token.text))


def _providers(tokens: Tokens) -> tuple[tuple[str, ...], Tokens]:
    found: list[str] = []
    index = 0
    while index < len(tokens):
        taken: Tokens = ()
        for part in runs(tokens, index, _LONGEST_NAME):
            name = None if len(part) == 1 and _is_filler(part[0]) else find_provider(joined(part))
            if name is not None:
                found.append(name)
                taken = part
                break
        tokens = without(tokens, taken)
        index += 0 if taken else 1
    return tuple(dict.fromkeys(found)), tokens
