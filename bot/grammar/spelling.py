"""Typing errors: the known word nearest to a misspelt one. Only unknown words load rapidfuzz."""

import re
from functools import cache

from bot.grammar.lexicon import phrases_of
from bot.grammar.model import model_words
from bot.grammar.tokens import Token, Tokens, replaced, runs
from planner.catalog.providers import provider_aliases
from planner.data_files import read_rows
from planner.gpus import registry as gpus

_SHORTEST = 4
_LONG = 9
_LEADING_LETTERS = re.compile(r"^([a-z]{4,})(.*)$")
_KINDS = (
    "method", "market", "need", "training", "before", "after", "finetune", "price", "compare",
    "command", "budget", "reason", "topic",
)  # fmt: skip


def respelled(tokens: Tokens) -> Tokens:
    """The tokens with words that mean a model only beside a version ("lama 3") spelt as meant."""
    words: dict[int, tuple[str, ...]] = {}
    for index, token in enumerate(tokens):
        for part in runs(tokens, index, 2):
            meant = _respellings().get(" ".join(one.text for one in part))
            if meant is not None:
                words[token.position] = (meant,)
                break
    return replaced(tokens, words)


@cache
def _respellings() -> dict[str, str]:
    return {row["typed"]: row["meant"] for row in read_rows("bot.grammar", "respelled.csv")}


def corrected(unknown: Tokens) -> dict[int, str]:
    """By position, the spelling that was meant, for the unknown words that have one."""
    found: dict[int, str] = {}
    for token in unknown:
        meant = _meant(token)
        if meant is not None:
            found[token.position] = meant
    return found


def _meant(token: Token) -> str | None:
    letters = _LEADING_LETTERS.match(token.text)
    if letters is None:
        return None
    word, rest = letters[1], letters[2]
    if rest and not any(map(str.isdigit, rest)):
        return None
    near = _nearest(word)
    return near + rest if near and near != word else None


def _nearest(word: str) -> str | None:
    """The known word one slip away, two for a long word; the first letter must agree."""
    from rapidfuzz.distance import OSA

    slips = 1 if len(word) < _LONG else 2
    best: tuple[int, str] | None = None
    for known in _vocabulary():
        if known[0] != word[0] or abs(len(known) - len(word)) > slips:
            continue
        if len(word) <= _SHORTEST and not _is_swap(word, known):
            continue
        distance = OSA.distance(word, known, score_cutoff=slips)
        if distance <= slips and (best is None or (distance, known) < best):
            best = (distance, known)
    return best[1] if best else None


def _is_swap(word: str, known: str) -> bool:
    """Four letters are too few to guess a wrong one: only letters that changed places."""
    return sorted(word) == sorted(known)


@cache
def _vocabulary() -> frozenset[str]:
    phrases = {word for kind in _KINDS for word in phrases_of(kind)}
    names = {*model_words(), *gpus.alias_index(), *provider_aliases()}
    return frozenset(word for word in phrases | names if word.isalpha() and len(word) >= _SHORTEST)
