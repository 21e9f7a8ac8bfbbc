"""Budgets: "$2/hr", "under 500 usd", "max $100 total", "budget 30rb/jam", "Rp 35.000/jam".

With words for "per hour" an amount is max_usd_per_hour, with words for "total" max_usd_total. With
neither it is the total, except below `SMALLEST_TOTAL_USD`: so little is an hourly price, and a note
says so. An amount needs a currency, words for "per hour", or words that make it a budget.
"""

import re
from typing import NamedTuple

from bot.grammar.gpu import is_gpu
from bot.grammar.lexicon import fold, match_at, match_before, phrases_of
from bot.grammar.numbers import read_decimal
from bot.grammar.tokens import Token, Tokens, run, without
from planner.notes import Note, note

SMALLEST_TOTAL_USD = 5.0
#: An amount this large without a currency, in an Indonesian text, is in rupiah.
SMALLEST_BARE_RUPIAH = 10_000.0

_AMOUNT = re.compile(
    r"^(?P<before>[^\d\W]{1,4}\$|\$|€|£|₹|¥|[^\d\W]{1,4}\.?)?"
    r"(?P<digits>\d[\d.,]*|[.,]\d+)(?P<after>[^\d\W]*[$€£₹¥]?)(?P<per>(?:/[^\d\W]+){0,2})$"
)
_RUPIAH_SCALES = frozenset({"rb", "ribu", "jt", "juta", "miliar", "milyar"})
_PER = ("per_hour", "per_gpu", "total")


class Money(NamedTuple):
    """The limits found, in USD, and the tokens left. `is_per_gpu` amounts are still per GPU."""

    usd_per_hour: float | None
    usd_total: float | None
    is_per_gpu: bool
    notes: tuple[Note, ...]
    rest: Tokens


class _Amount(NamedTuple):
    digits: str
    scale: str
    currency: str | None
    words: frozenset[str]
    tokens: Tokens


def read_money(tokens: Tokens, language: str, usd_per_idr: float) -> Money:
    """The hourly and the total limit in a text."""
    limits: dict[str, float] = {}
    notes: list[Note] = []
    is_per_gpu = False
    for token in tokens:
        at = next((i for i, t in enumerate(tokens) if t.position == token.position), None)
        amount = amount_at(tokens, at) if at is not None else None
        budget, cue = _budget_before(tokens, amount.tokens[0]) if amount else (None, ())
        if amount is None or not _is_money(amount, budget, cue):
            continue
        reading = to_usd(amount, language, usd_per_idr, _period(amount, cue))
        if reading is None:
            notes.append(note("grammar.currency_unknown", typed=_typed(amount.tokens)))
        elif reading.limit in limits:
            continue
        else:
            limits[reading.limit] = reading.usd
            is_per_gpu = is_per_gpu or "per_gpu" in amount.words
            notes.extend(reading.notes)
        tokens = without(tokens, (*amount.tokens, *cue))
    return Money(limits.get("hour"), limits.get("total"), is_per_gpu, tuple(notes), tokens)


class _Reading(NamedTuple):
    limit: str
    usd: float
    notes: tuple[Note, ...]


def to_usd(
    amount: _Amount, language: str, usd_per_idr: float, period: str | None
) -> _Reading | None:
    """An amount as a limit in USD; None where its currency has no rate here."""
    rupiah = amount.currency == "idr" or (
        amount.currency is None and amount.scale in _RUPIAH_SCALES
    )
    number = read_decimal(amount.digits, "id" if rupiah and not amount.scale else language)
    if number is None or amount.currency == "other":
        return None
    scale = float(phrases_of("scale").get(amount.scale, "1"))
    value = number.value * scale
    bare = amount.currency is None and not amount.scale
    if bare and language == "id" and value >= SMALLEST_BARE_RUPIAH:
        rupiah = True
    usd = value * usd_per_idr if rupiah else value
    limit = period or ("hour" if usd < SMALLEST_TOTAL_USD else "total")
    typed = _typed(amount.tokens)
    notes: list[Note] = []
    if rupiah:
        notes.append(_converted(limit, typed, usd, 1 / usd_per_idr))
    if number.other is not None and not rupiah:
        notes.append(_ambiguous(limit, typed, usd, number.other * scale))
    elif period is None and not rupiah:
        notes.append(_assumed(limit, typed, usd))
    return _Reading(limit, usd, tuple(notes))


def _converted(limit: str, typed: str, usd: float, rate: float) -> Note:
    if limit == "hour":
        return note(
            "grammar.rupiah_converted_hourly",
            typed=typed, usd_per_hour=usd, rate=round(rate),
        )  # fmt: skip
    return note("grammar.rupiah_converted", typed=typed, usd_total=usd, rate=round(rate))


def _ambiguous(limit: str, typed: str, usd: float, other: float) -> Note:
    if limit == "hour":
        return note("grammar.amount_hourly_or", typed=typed, usd_per_hour=usd, usd_other=other)
    return note("grammar.amount_total_or", typed=typed, usd_total=usd, usd_other=other)


def _assumed(limit: str, typed: str, usd: float) -> Note:
    if limit == "hour":
        return note("grammar.budget_taken_hourly", typed=typed, usd_per_hour=usd)
    return note("grammar.budget_taken_total", typed=typed, usd_total=usd)


def read_amount(
    value: str, language: str, usd_per_idr: float, period: str | None
) -> _Reading | None:
    """The amount a `budget=` value gives; None where the value is not an amount of money."""
    tokens = tuple(Token(word, word, i) for i, word in enumerate(value.lower().split()))
    amount = amount_at(tokens, 0) if tokens else None
    if amount is None or len(amount.tokens) < len(tokens):
        return None
    return to_usd(amount, language, usd_per_idr, period or _period(amount, ()))


def amount_at(tokens: Tokens, index: int) -> _Amount | None:
    """The amount that starts at `index`, with the words for "per hour" and "total" behind it."""
    opening = match_at(tokens, index, "currency")
    first = index + len(opening.tokens) if opening else index
    taken = run(tokens, index, first - index + 1)
    found = _AMOUNT.match(taken[-1].text) if taken else None
    if found is None or taken is None:
        return None
    currency = opening.meaning.value if opening else None
    before, after, scale = found["before"] or "", found["after"], ""
    if before:
        currency = phrases_of("currency").get(fold(before))
        if currency is None:
            return None
    if after in phrases_of("scale"):
        scale, after = after, ""
    if after:
        currency = phrases_of("currency").get(after)
        if currency is None:
            return None
    words = {phrases_per(part) for part in found["per"].split("/")[1:]}
    if "" in words:
        return None
    return _extended(tokens, _Amount(found["digits"], scale, currency, frozenset(words), taken))


def phrases_per(word: str) -> str:
    """Which of "per hour" and "per GPU" a word behind a slash says; empty for neither."""
    return next((kind for kind in _PER if fold("/" + word) in phrases_of(kind)), "")


def _extended(tokens: Tokens, amount: _Amount) -> _Amount:
    """The amount with the scale, currency and period words that follow it."""
    end = next(i for i, t in enumerate(tokens) if t.position == amount.tokens[-1].position) + 1
    while True:
        match = match_at(tokens, end, "scale", "currency", *_PER) if end < len(tokens) else None
        if match is None or match.tokens[0].position != amount.tokens[-1].position + 1:
            return amount
        kind, word = match.meaning.kind, match.tokens[0].text
        is_second_scale = kind == "scale" and (amount.scale or len(word) < 2)
        if is_second_scale or (kind == "currency" and amount.currency):
            return amount
        amount = _Amount(
            amount.digits,
            word if kind == "scale" else amount.scale,
            match.meaning.value if kind == "currency" else amount.currency,
            amount.words | {kind} if kind in _PER else amount.words,
            (*amount.tokens, *match.tokens),
        )
        end += len(match.tokens)


def _budget_before(tokens: Tokens, token: Token) -> tuple[str | None, Tokens]:
    """How strongly the words before an amount make it a budget, and those words."""
    taken: Tokens = ()
    strength: str | None = None
    while len(taken) < 6:
        match = match_before(tokens, token, "budget", *_PER) or match_before(
            tokens, token, "filler"
        )
        if match is None:
            break
        taken = (*match.tokens, *taken)
        token = match.tokens[0]
        if match.meaning.kind == "budget" and strength != "strong":
            strength = match.meaning.value
    return strength, taken if strength else ()


def _is_money(amount: _Amount, budget: str | None, cue: Tokens) -> bool:
    if amount.currency:
        return True
    if is_gpu(amount.digits) and budget != "strong":
        return False
    period = "per_hour" in amount.words or "total" in amount.words or bool(_period(amount, cue))
    return budget == "strong" or (budget == "weak" and period) or "per_hour" in amount.words


def _period(amount: _Amount, cue: Tokens) -> str | None:
    words = amount.words | {match for token in cue for match in _kinds(token)}
    if "per_hour" in words:
        return "hour"
    return "total" if "total" in words else None


def _kinds(token: Token) -> frozenset[str]:
    folded = fold(token.text)
    return frozenset(kind for kind in _PER if folded in phrases_of(kind))


def _typed(tokens: Tokens) -> str:
    return " ".join(token.raw for token in tokens)
