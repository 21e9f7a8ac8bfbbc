"""One key of a command or of the estimator: its canonical name, and its value as it is meant."""

import re
from functools import cache
from typing import Any, Literal, NamedTuple, get_args, get_origin

from bot.grammar.lexicon import fold, phrases_of
from bot.grammar.numbers import length, split_number, whole_or_decimal
from planner.data_files import read_rows
from planner.errors import BadInput
from planner.query import Tuning

#: No value anybody means is larger.
LARGEST = 10**15
_DISK = re.compile(r"^(\d{1,7}(?:\.\d+)?)\s*(mb|gb|tb)?$")
_GB = {"mb": 1e-3, "gb": 1.0, "tb": 1e3}
_MEMORY = re.compile(r"^(\d{1,5}(?:\.\d+)?)\s*(?:gib|gb|g)?$")


class Pair(NamedTuple):
    """One key as typed, its canonical name, how its value is read, and the value as typed."""

    typed: str
    key: str
    read_as: str
    value: str


class _Key(NamedTuple):
    key: str
    read_as: str


def find_key(typed: str) -> Pair:
    """The key a name stands for, without a value; BadInput with the nearest names where none is."""
    found = _keys().get(fold(typed))
    if found is None:
        from rapidfuzz import fuzz, process

        near = process.extract(fold(typed), _keys().keys(), scorer=fuzz.ratio, limit=6)
        nearest = tuple(dict.fromkeys(_keys()[name].key for name, _, _ in near))[:3]
        raise BadInput("grammar.unknown_key", key=typed, nearest=nearest)
    return Pair(typed, found.key, found.read_as, "")


def read_value(pair: Pair) -> Any:
    """The value of a key that is not made of words; BadInput naming what it may be."""
    value = pair.value.strip().lower()
    read = {
        "count": _count, "number": _number, "memory": _memory, "disk": _disk, "hours": _hours,
        "length": _length, "yes_no": yes_or_no,
    }.get(pair.read_as)  # fmt: skip
    if pair.read_as == "text":
        found: Any = pair.value.strip() or None
    else:
        found = read(value) if read else _choice(pair.key, value)
    if found is None:
        raise _bad_value(pair)
    return found


def _bad_value(pair: Pair) -> BadInput:
    value = pair.value or "?"
    if pair.read_as == "choice":
        return BadInput(
            "grammar.not_a_choice", key=pair.typed, value=value, known=choices(pair.key)
        )
    if pair.read_as == "yes_no":
        return BadInput("grammar.not_yes_or_no", key=pair.typed, value=value)
    if pair.read_as == "text":
        return BadInput("grammar.no_value", key=pair.typed)
    return BadInput("grammar.not_a_number", key=pair.typed, value=value)


@cache
def _keys() -> dict[str, _Key]:
    return {
        fold(typed): _Key(row["key"], row["read_as"])
        for row in read_rows("bot.grammar", "keys.csv")
        for typed in row["typed"].split(";")
    }


@cache
def _means() -> dict[tuple[str, str], str]:
    return {
        (row["key"], fold(typed)): row["means"]
        for row in read_rows("bot.grammar", "choices.csv")
        for typed in row["typed"].split(";")
    }


def choices(key: str) -> tuple[str, ...]:
    """The values a key of the estimator may have."""
    options = get_args(Tuning.model_fields[key].annotation)
    return tuple(
        choice for option in options if get_origin(option) is Literal for choice in get_args(option)
    )


def _choice(key: str, value: str) -> str | None:
    named = {fold(choice): choice for choice in choices(key)}
    return named.get(fold(value)) or _means().get((key, fold(value)))


def yes_or_no(value: str) -> bool | None:
    """What a word of either language says: yes, no, or neither."""
    found = _means().get(("yes_no", fold(value)))
    return None if found is None else found == "true"


def _number(value: str) -> float | None:
    parts = split_number(value)
    amount = whole_or_decimal(parts[0]) if parts else None
    if parts is None or amount is None or parts[1] not in {"", *phrases_of("scale")}:
        return None
    scaled = amount * float(phrases_of("scale").get(parts[1], "1"))
    return scaled if 0 < scaled < LARGEST else None


def _count(value: str) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number.is_integer() else None


def _length(value: str) -> int | None:
    number, parts = _number(value), split_number(value)
    if number is None or parts is None:
        return None
    return int(length(number, float(phrases_of("scale").get(parts[1], "1"))))


def _memory(value: str) -> float | None:
    found = _MEMORY.match(value)
    return float(found[1]) if found and float(found[1]) > 0 else None


def _disk(value: str) -> float | None:
    """Size on disk in GB."""
    found = _DISK.match(value)
    return float(found[1]) * _GB[found[2] or "gb"] if found and float(found[1]) > 0 else None


def _hours(value: str) -> float | None:
    parts = split_number(value.replace(" ", ""))
    unit = phrases_of("time").get(parts[1]) if parts and parts[1] else "1"
    amount = whole_or_decimal(parts[0]) if parts else None
    return amount * float(unit) if amount and unit else None
