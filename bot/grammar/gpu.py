"""Cards and how many: "8xA100 80GB", "A100-80GB x2", "2 buah 5090", "3060 12gb", "24gb" alone."""

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import NamedTuple

from bot.grammar.lexicon import REMEMBERED, match_at, match_before, neighbours_before
from bot.grammar.once import once
from bot.grammar.tokens import Token, Tokens, is_spread, joined, run, runs, without
from planner.errors import BadInput
from planner.gpus import registry
from planner.notes import Note, note

_LONGEST_NAME = 5
_MOST_GPUS = 1024
_MEMORY = re.compile(r"^(\d{1,4}(?:\.\d+)?)(?:gb|gib|g)$")
_TIMES_N = re.compile(r"^[x*](\d{1,4})$")
_N_TIMES = re.compile(r"^(\d{1,4})[x*]$")
_BARE_SIZE = re.compile(r"^(.+)-(\d{1,3})$")
_GLUED = re.compile(r"^(.{2,})x(\d{1,3})$")


@dataclass(frozen=True, slots=True)
class Card:
    """A SKU named in a text; `count` None where no number was typed, as when it is asked for."""

    name: str
    count: int | None
    asks_count: bool


class Gpus(NamedTuple):
    """The cards named, a memory size and a count that belong to no name, and the tokens left."""

    cards: tuple[Card, ...]
    vram_gib: float | None
    loose_count: int | None
    notes: tuple[Note, ...]
    rest: Tokens


class _Named(NamedTuple):
    name: str
    memory: float | None
    tokens: Tokens
    typed_count: int | None = None


def read_gpus(tokens: Tokens) -> Gpus:
    """Every card a text names, from left to right."""
    named, tokens = _names(tokens)
    ram, tokens = _host_ram(tokens)
    loose, tokens = _loose_memory(tokens)
    if len(named) == 1 and loose is not None and named[0].memory is None:
        named, loose = _with_loose_memory(named[0], loose)
    cards: list[Card] = []
    notes: list[Note] = list(ram)
    for one in named:
        found = registry.find(one.name, one.memory)
        card, tokens = _counted(Card(found.gpu.name, one.typed_count, False), one.tokens, tokens)
        cards.append(card)
        notes.extend(found.notes)
    count, tokens = _loose_count(tokens)
    return Gpus(tuple(cards), loose, count, once(notes), tokens)


def is_gpu(word: str) -> bool:
    """Whether a word or phrase alone names a card."""
    return _known(word) is not None


@cache
def _folded_names() -> frozenset[str]:
    return frozenset(registry.alias_index()) | registry.ambiguous_names()


@lru_cache(maxsize=REMEMBERED)
def _known(typed: str) -> str | None:
    """The typed name, without a plural s, when it names a card."""
    for name in (typed, typed.removesuffix("s")):
        folded = registry.normalise(name)
        if folded in _folded_names() and (not folded.isdigit() or len(folded) == 4):
            return name
    return None


def _names(tokens: Tokens) -> tuple[tuple[_Named, ...], Tokens]:
    found: list[_Named] = []
    index = 0
    while index < len(tokens):
        named = _name_at(tokens, index)
        if named is None:
            index += 1
            continue
        found.append(named)
        tokens = without(tokens, named.tokens)
    return tuple(found), tokens


def _name_at(tokens: Tokens, index: int) -> _Named | None:
    """The longest name at `index`, with a memory size among or beside its words."""
    for part in runs(tokens, index, _LONGEST_NAME):
        words = [token.text for token in part]
        if is_spread(words) or _MEMORY.match(words[0]) or _is_generic(words[0]):
            continue
        sizes = [word for word in words if _MEMORY.match(word)]
        if len(sizes) > 1 or (sizes and _is_host_ram(tokens, part[-1])):
            continue
        bare = " ".join(word for word in words if word not in sizes)
        name = _known(" ".join(words)) or _known(bare)
        if name is not None:
            memory = float(_MEMORY.sub(r"\1", sizes[0])) if sizes else None
            return _Named(" ".join(words) if sizes else name, memory, part)
    return _glued_name(tokens[index]) or _name_with_bare_size(tokens[index])


def _is_generic(word: str) -> bool:
    return not registry.normalise(word)


def _glued_name(token: Token) -> _Named | None:
    """ "a100x2" without a space."""
    found = _GLUED.match(token.text)
    if found is None or _known(found[1]) is None:
        return None
    return _Named(found[1], None, (token,), _as_count(found[2]))


def _name_with_bare_size(token: Token) -> _Named | None:
    """ "RTX-3060-12": the memory behind a dash, without its unit."""
    found = _BARE_SIZE.match(token.text)
    if found is None or _known(found[1]) is None:
        return None
    return _Named(found[1], float(found[2]), (token,))


def _is_host_ram(tokens: Tokens, memory: Token) -> bool:
    at = next(i for i, token in enumerate(tokens) if token.position == memory.position)
    match = match_at(tokens, at + 1, "host_ram")
    return match is not None and match.tokens[0].position == memory.position + 1


def _host_ram(tokens: Tokens) -> tuple[tuple[Note, ...], Tokens]:
    """ "64gb ram" is the machine's memory, which no option filters by yet: said, not dropped."""
    for token in tokens:
        if _MEMORY.match(token.text) and _is_host_ram(tokens, token):
            at = tokens.index(token)
            ram = match_at(tokens, at + 1, "host_ram")
            taken = (token, *(ram.tokens if ram else ()))
            return (note("grammar.host_ram_not_used", typed=joined(taken)),), without(tokens, taken)
    return (), tokens


def _loose_memory(tokens: Tokens) -> tuple[float | None, Tokens]:
    for token in tokens:
        found = _MEMORY.match(token.text)
        if found and float(found[1]) > 0:
            return float(found[1]), without(tokens, (token,))
    return None, tokens


def _with_loose_memory(named: _Named, memory: float) -> tuple[tuple[_Named, ...], float | None]:
    """A size elsewhere in the text is the card's own when the card comes in that size."""
    try:
        registry.find(named.name, memory)
    except BadInput:
        return (named,), memory
    return (named._replace(memory=memory),), None


def _counted(card: Card, name: Tokens, tokens: Tokens) -> tuple[Card, Tokens]:
    """The card with the count that stands right before or right after its name."""
    if card.count is not None:
        return card, tokens
    for read in (_count_before, _count_after):
        count, taken = read(tokens, name)
        if count is not None:
            return replace(card, count=count), without(tokens, taken)
    asked = match_before(tokens, name[0], "how_many")
    if asked:
        return replace(card, asks_count=True), without(tokens, asked.tokens)
    return card, tokens


def _count_before(tokens: Tokens, name: Tokens) -> tuple[int | None, Tokens]:
    """ "8x", "8 x", "2 buah", "two", "4" before a name, with the word "gpu" between allowed."""
    between = match_before(tokens, name[0], "gpu_word", "piece")
    piece = between.tokens if between else ()
    target = piece[0] if piece else name[0]
    tail = neighbours_before(tokens, target)
    count = _as_count(tail[-1].text) if tail else None
    if count is not None:
        return count, (tail[-1], *piece)
    word = match_before(tokens, target, "number")
    return (int(word.meaning.value), (*word.tokens, *piece)) if word else (None, ())


def _count_after(tokens: Tokens, name: Tokens) -> tuple[int | None, Tokens]:
    """ "x2", "x 2", "2x" after a name."""
    at = next((i for i, t in enumerate(tokens) if t.position == name[-1].position + 1), None)
    if at is None:
        return None, ()
    pair = run(tokens, at, 2)
    if pair and pair[0].text in {"x", "*"} and pair[1].text.isdecimal():
        return _as_count(pair[1].text), pair
    times = _TIMES_N.match(tokens[at].text) or _N_TIMES.match(tokens[at].text)
    return (_as_count(times[1]), (tokens[at],)) if times else (None, ())


def _as_count(word: str) -> int | None:
    found = _N_TIMES.match(word)
    digits = found[1] if found else word
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 4):
        return None
    return int(digits) if 0 < int(digits) <= _MOST_GPUS else None


def _loose_count(tokens: Tokens) -> tuple[int | None, Tokens]:
    """ "x2" or "1X" somewhere else in the text."""
    for token in tokens:
        times = _TIMES_N.match(token.text) or _N_TIMES.match(token.text)
        if times and _as_count(times[1]):
            return _as_count(times[1]), without(tokens, (token,))
    return None, tokens
