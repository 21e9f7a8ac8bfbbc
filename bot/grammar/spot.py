"""A job for spot in words: "12h on-demand $2.5 spot $0.9, deadline 20h, interrupted every 3 hours".

Every number belongs to the word before it ("deadline 20h"), else to the one right behind it ("30 s
notice"); hours with neither are those of the job.
"""

from functools import cache
from typing import NamedTuple

from bot.grammar.glued import split_word
from bot.grammar.language import detect
from bot.grammar.lexicon import LONGEST_PHRASE, fold, phrases_of
from bot.grammar.money import amount_at, to_usd
from bot.grammar.normalise import normalise
from bot.grammar.numbers import read_count
from bot.grammar.tokens import Tokens, run, runs, tokenise
from planner.catalog.providers import find_provider
from planner.data_files import read_rows
from planner.notes import Note, note
from planner.query import Language

_MARKETS = ("on_demand", "spot")
_LONGEST_NAME = 3


class SpotText(NamedTuple):
    """What a text says, by key of `muat spot`, how it was read, and its language."""

    values: dict[str, float | str]
    notes: tuple[Note, ...]
    language: Language


class _Word(NamedTuple):
    says: str
    value: str
    tokens: Tokens


class _Number(NamedTuple):
    """A number read: what it counts (money, hours, a rate), its value, and the words it takes."""

    of: str
    value: float
    tokens: Tokens
    notes: tuple[Note, ...] = ()


def read_spot(text: str, usd_per_idr: float, reader: Language) -> SpotText:
    """The keys of `muat spot` in a text; a number that belongs to no word is named in a note."""
    plain = normalise(text)
    language = detect(plain, reader)
    tokens = tokenise(plain, split_word)
    values: dict[str, float | str] = {}
    notes: list[Note] = []
    unread: list[str] = []
    cue: str | None = None
    waiting: _Number | None = None
    index = 0
    while index < len(tokens):
        word = _word_at(tokens, index, "cue")
        number = None if word else _number_at(tokens, index, cue, language, usd_per_idr)
        provider = None if word or number else _provider_at(tokens, index)
        taken = word or number or provider
        if word and waiting and word.value in _MARKETS:
            values.setdefault(word.value, waiting.value)
            cue = waiting = None
        elif word:
            cue = word.value
        elif provider:
            values.setdefault("provider", provider.value)
        elif number:
            behind = _word_behind(tokens, index + len(number.tokens))
            key = _key(number, cue, behind, values)
            notes.extend(number.notes)
            if key is None and number.of == "money":
                waiting = number
            elif key is None:
                unread.append(" ".join(token.raw for token in number.tokens))
            else:
                values.setdefault(*_said(key, number))
                cue = None
        elif fold(tokens[index].text) not in phrases_of("filler"):
            unread.append(tokens[index].raw)
        index += len(taken.tokens) if taken else 1
    if unread:
        notes.append(note("grammar.not_understood", words=tuple(unread)))
    return SpotText(values, tuple(notes), language)


def read_measure(key: str, text: str, usd_per_idr: float) -> float | None:
    """The value of one key written with its unit ("12h", "90 s", "$2.5"); None where it is not."""
    tokens = tokenise(normalise(text), split_word)
    cue = key if key in _MARKETS else None
    number = _number_at(tokens, 0, cue, "en", usd_per_idr) if tokens else None
    if number is None or len(number.tokens) < len(tokens):
        return None
    if (number.of == "money") != (key in _MARKETS):
        return None
    return _said(key, number)[1]


def _key(
    number: _Number, cue: str | None, behind: str | None, values: dict[str, float | str]
) -> str | None:
    """Which key a number is the value of."""
    if number.of == "interruptions_per_hour":
        return number.of
    if number.of == "money":
        return cue if cue in _MARKETS else None
    for said in (cue, behind):
        if said is not None and said not in _MARKETS and said not in values:
            return said
    return None if "hours" in values else "hours"


def _said(key: str, number: _Number) -> tuple[str, float]:
    """A key and its value in the key's unit; hours between interruptions are a rate."""
    if key == "hours_between":
        return "interruptions_per_hour", 1 / number.value if number.value else 0.0
    return key, number.value * 3600 if key.endswith("_seconds") else number.value


def _number_at(
    tokens: Tokens, index: int, cue: str | None, language: Language, usd_per_idr: float
) -> _Number | None:
    count = read_count(tokens, index)
    if count is not None:
        end = index + len(count.tokens)
        rate = None if count.unit else _word_at(tokens, end, "rate")
        if rate and _are_neighbours(count.tokens, rate.tokens):
            value = count.value * float(rate.value)
            return _Number("interruptions_per_hour", value, (*count.tokens, *rate.tokens))
        hours, words = _hours_of(count.unit), count.tokens
        unit = run(tokens, end, 1)
        if not count.unit and unit and _are_neighbours(count.tokens, unit):
            hours, words = _hours_of(unit[0].text), (*count.tokens, *unit)
        if hours is not None:
            return _Number("hours", count.value * hours, words)
    amount = amount_at(tokens, index)
    if amount is None or not (amount.currency or "per_hour" in amount.words or cue in _MARKETS):
        return None
    reading = to_usd(amount, language, usd_per_idr, "hour")
    if reading is None:
        return None
    return _Number("money", reading.usd, amount.tokens, reading.notes)


def _hours_of(unit: str) -> float | None:
    if unit in _words("seconds"):
        return float(_words("seconds")[unit]) / 3600
    hours = phrases_of("time").get(unit) if unit else None
    return None if hours is None else float(hours)


def _word_at(tokens: Tokens, index: int, says: str) -> _Word | None:
    """The longest phrase of a kind that starts at `index`."""
    for part in runs(tokens, index, LONGEST_PHRASE):
        value = _words(says).get(fold(" ".join(token.text for token in part)))
        if value is not None:
            return _Word(says, value, part)
    return None


def _word_behind(tokens: Tokens, index: int) -> str | None:
    """The cue right behind a number, unless a number of its own follows it."""
    if index >= len(tokens) or not run(tokens, index - 1, 2):
        return None
    word = _word_at(tokens, index, "cue")
    if word is None:
        return None
    end = index + len(word.tokens)
    has_its_own = end < len(tokens) and read_count(tokens, end) is not None
    return None if has_its_own else word.value


def _provider_at(tokens: Tokens, index: int) -> _Word | None:
    for part in runs(tokens, index, _LONGEST_NAME):
        name = find_provider(" ".join(token.text for token in part))
        if name is not None:
            return _Word("provider", name, part)
    return None


def _are_neighbours(first: Tokens, then: Tokens) -> bool:
    return bool(then) and then[0].position == first[-1].position + 1


@cache
def _words(says: str) -> dict[str, str]:
    return {
        fold(phrase): row["value"]
        for row in read_rows("bot.grammar", "spot_words.csv")
        if row["says"] == says
        for phrase in row["phrases"].split(";")
    }
