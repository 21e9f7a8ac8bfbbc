"""Numbers with a unit: context, batch, rank, epochs, samples, tokens, sizes, hours, GPU counts."""

import re
from typing import NamedTuple

from bot.grammar.gpu import is_gpu
from bot.grammar.lexicon import Match, match_at, match_before, phrases_of
from bot.grammar.numbers import Count, length, read_count
from bot.grammar.tokens import Token, Tokens, without

#: "N tokens" up to here is a sequence length, above it is an amount of data.
LONGEST_SEQUENCE = 131_072
#: "on N tokens" above this is an amount of data.
LONGEST_USUAL_SEQUENCE = 32_768
#: These are never written with "k" or "million".
_NEVER_SCALED = frozenset(
    {"micro_batch", "global_batch", "lora_rank", "virtual_tokens", "gpu_count", "nodes", "images"}
)
#: "8b" beside another unit is the size of a model.
_BILLIONS = frozenset({"tokens", "parameters"})
_BILLION = 10**9
#: A number that is also a card ("4090") counts only these.
_MAY_BE_A_CARD = frozenset({"samples", "tokens"})
_SQUARE = re.compile(r"^(\d{3,4})x(\d{3,4})$")


class Quantities(NamedTuple):
    """What the numbers say, by the name of the command's field, and the tokens left.

    `parameters` is a model's size that was written out ("8 miliar parameter").
    """

    values: dict[str, float]
    rest: Tokens

    @property
    def parameters(self) -> float | None:
        """The size of a model that was written out with its unit."""
        return self.values.get("parameters")


class _Reading(NamedTuple):
    field: str
    value: float
    tokens: Tokens


def read_quantities(tokens: Tokens) -> Quantities:
    """Every number whose unit stands beside it; the first of each kind counts."""
    values: dict[str, float] = {}
    for token in tokens:
        at = _place(tokens, token)
        reading = _read_at(tokens, at) if at is not None else None
        if reading is None or reading.field in values or reading.value <= 0:
            continue
        values[reading.field] = reading.value
        tokens = without(tokens, reading.tokens)
    return Quantities(values, tokens)


def _read_at(tokens: Tokens, at: int) -> _Reading | None:
    square = _SQUARE.match(tokens[at].text)
    if square:
        return _Reading("resolution", float(max(square[1], square[2], key=int)), (tokens[at],))
    count = read_count(tokens, at)
    if count is None:
        return None
    return (
        _with_word_before(tokens, count)
        or _with_unit(tokens, at, count)
        or _dataset_of(tokens, count)
        or _size(count)
    )


def _with_word_before(tokens: Tokens, count: Count) -> _Reading | None:
    """ "ctx 4096", "batch 4", "rank 64"."""
    match = match_before(tokens, count.tokens[0], "before")
    if match is None or count.unit:
        return None
    taken = (*match.tokens, *count.tokens)
    field = match.meaning.value
    if field == "tokens":
        return _tokens(tokens, count, taken)
    unit = _unit_after(tokens, count)
    if field == "seq_len" and unit and unit.meaning.value == "tokens":
        taken = (*taken, *unit.tokens)
    return _reading(field, count, taken)


def _with_unit(tokens: Tokens, at: int, count: Count) -> _Reading | None:
    """ "4k ctx", "10k samples", "5 jam", "12h"."""
    if count.unit:
        field, taken = phrases_of("after").get(count.unit), count.tokens
        hours = phrases_of("time").get(count.unit)
    else:
        unit = _unit_after(tokens, count)
        if unit is None:
            return None
        taken = (*count.tokens, *unit.tokens)
        is_time = unit.meaning.kind == "time"
        field, hours = (None, unit.meaning.value) if is_time else (unit.meaning.value, None)
    if hours is not None:
        if is_gpu(count.tokens[0].text):
            return None
        return _duration(tokens, count.value * float(hours), taken)
    if field == "tokens":
        return _tokens(tokens, count, taken)
    return _reading(field, count, taken) if field else None


def _dataset_of(tokens: Tokens, count: Count) -> _Reading | None:
    """ "dataset 5000": samples, when no unit says otherwise."""
    match = match_before(tokens, count.tokens[0], "dataset")
    if match is None or match.meaning.value != "strong" or count.unit:
        return None
    return _reading("samples", count, (*match.tokens, *count.tokens))


def _size(count: Count) -> _Reading | None:
    """ "8 miliar": a model's size, written as words."""
    if len(count.tokens) > 1 and count.scale >= _BILLION and not count.unit:
        return _Reading("parameters", count.value, count.tokens)
    return None


def _reading(field: str, count: Count, taken: Tokens) -> _Reading | None:
    if field not in _MAY_BE_A_CARD and is_gpu(count.tokens[0].text):
        return None
    if field in _NEVER_SCALED and (count.scale != 1 or not count.value.is_integer()):
        return None
    if count.scale >= _BILLION and field not in _BILLIONS:
        return None
    value = length(count.value, count.scale) if field == "seq_len" else count.value
    return _Reading(field, value, taken)


def _tokens(tokens: Tokens, count: Count, taken: Tokens) -> _Reading:
    """Whether "N tokens" is how long a sample is or how much data there is."""
    cue = match_before(tokens, taken[0], "dataset")
    limit = LONGEST_SEQUENCE
    if cue:
        limit = 0 if cue.meaning.value == "strong" else LONGEST_USUAL_SEQUENCE
        taken = (*cue.tokens, *taken)
    if count.value <= limit:
        return _Reading("seq_len", length(count.value, count.scale), taken)
    return _Reading("tokens", count.value, taken)


def _duration(tokens: Tokens, hours: float, taken: Tokens) -> _Reading:
    """Hours by which a run must be done, or, without words for that, hours of renting."""
    before = match_before(tokens, taken[0], "deadline", "rental")
    end = _place(tokens, taken[-1])
    after = match_at(tokens, end + 1, "deadline") if end is not None and not before else None
    if after and after.tokens[0].position != taken[-1].position + 1:
        after = None
    cue = before or (after if after and _is_finish(after) else None)
    is_deadline = cue is not None and cue.meaning.kind == "deadline"
    taken = (*cue.tokens, *taken) if cue else taken
    return _Reading("deadline_hours" if is_deadline else "rental_hours", hours, taken)


def _is_finish(match: Match) -> bool:
    """Words such as "kelar" say "done" behind the hours too; "in" belongs to what follows."""
    return match.meaning.value == "done"


def _unit_after(tokens: Tokens, count: Count) -> Match | None:
    last = count.tokens[-1]
    at = _place(tokens, last)
    match = match_at(tokens, at + 1, "after", "time") if at is not None else None
    return match if match and match.tokens[0].position == last.position + 1 else None


def _place(tokens: Tokens, token: Token) -> int | None:
    return next((i for i, other in enumerate(tokens) if other.position == token.position), None)
