"""Numbers as people write them: "4k", "10.000", "2,5", "1,000,000", "8 miliar", "dua"."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from bot.grammar.lexicon import match_at, phrases_of
from bot.grammar.tokens import Tokens, run

_NUMBER = re.compile(r"^(\d[\d.,]*|[.,]\d+)([a-z]*)$")
_THOUSANDS_WHOLE = re.compile(r"^[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*$")
_ONE_GROUP = re.compile(r"^[1-9]\d{0,2}[.,]\d{3}$")
_MOST_DIGITS = 15

_KIBI = 1024


class Decimal(NamedTuple):
    """A number's value, and the other value its separators allow where they are ambiguous."""

    value: float
    other: float | None = None


class Count(NamedTuple):
    """A number in a text: its value, scale included, the scale, the unit glued to it, the words."""

    value: float
    scale: float
    unit: str
    tokens: Tokens


def read_decimal(digits: str, language: str) -> Decimal | None:
    """A number whose one separator before three digits is thousands or decimals, by language.

    "2.500" is 2.5 in English and 2500 in Indonesian, "1,500" is 1500 in both; the other value
    comes along where it is likely.
    """
    if not digits or len(digits) > _MOST_DIGITS or not digits[-1].isdigit():
        return None
    points, commas = digits.count("."), digits.count(",")
    if _ONE_GROUP.match(digits):
        whole = float(digits.replace(".", "").replace(",", ""))
        small = float(digits.replace(",", "."))
        if commas:
            return Decimal(whole, small if language == "id" else None)
        return Decimal(small, whole) if language == "en" else Decimal(whole, small)
    if points and commas:
        decimal = "." if digits.rfind(".") > digits.rfind(",") else ","
        thousands = "," if decimal == "." else "."
        return _float(digits.replace(thousands, "").replace(decimal, "."))
    if points + commas > 1:
        return _float(digits.replace(".", "").replace(",", ""))
    return _float(digits.replace(",", "."))


def _float(digits: str) -> Decimal | None:
    try:
        return Decimal(float(digits))
    except ValueError:
        return None


def split_number(word: str) -> tuple[str, str] | None:
    """The digits of a word and the letters glued to them: "4k" is ("4", "k")."""
    found = _NUMBER.match(word)
    return (found.group(1), found.group(2)) if found else None


def whole_or_decimal(digits: str) -> float | None:
    """The value of a count: three digits after a separator are thousands ("10.000 samples")."""
    if _THOUSANDS_WHOLE.match(digits):
        return float(digits.replace(".", "").replace(",", ""))
    found = read_decimal(digits, "en")
    return found.value if found else None


def read_count(tokens: Tokens, index: int) -> Count | None:
    """The number that starts at `index`, with its scale glued or as a word of its own."""
    word = match_at(tokens, index, "number")
    if word:
        return Count(float(word.meaning.value), 1, "", word.tokens)
    parts = split_number(tokens[index].text)
    value = whole_or_decimal(parts[0]) if parts else None
    if parts is None or value is None:
        return None
    scales = phrases_of("scale")
    if parts[1] in scales:
        scale = float(scales[parts[1]])
        return Count(value * scale, scale, "", tokens[index : index + 1])
    pair = run(tokens, index, 2)
    if not parts[1] and pair and len(pair[1].text) > 1 and pair[1].text in scales:
        scale = float(scales[pair[1].text])
        return Count(value * scale, scale, "", pair)
    unit, scale = _scaled_unit(parts[1], scales)
    return Count(value * scale, scale, unit, tokens[index : index + 1])


def _scaled_unit(letters: str, scales: Mapping[str, str]) -> tuple[str, float]:
    """The unit and scale of letters such as "ksamples" or "jttoken"."""
    units = phrases_of("after")
    for name in sorted(scales, key=len, reverse=True):
        rest = letters.removeprefix(name)
        if rest != letters and rest in units:
            return rest, float(scales[name])
    return letters, 1.0


def length(value: float, scale: float) -> float:
    """A sequence length: "4k" is 4096."""
    return value / scale * _KIBI if scale == 1000 else value
