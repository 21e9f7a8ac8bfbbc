"""`key=value` and `--key value`: the keys of the command and of the estimator, by many names."""

import re
from functools import cache
from typing import Any, Literal, NamedTuple, get_args, get_origin

from bot.grammar.lexicon import fold, phrases_of
from bot.grammar.money import read_amount
from bot.grammar.normalise import spaced
from bot.grammar.numbers import split_number, whole_or_decimal
from bot.grammar.quantities import length
from planner.data_files import read_rows
from planner.errors import BadInput
from planner.notes import Note
from planner.query import Tuning

_CHUNK = re.compile(r'[^\s="]+="[^"]*"|"[^"]*"|\S+')
_KEY_VALUE = re.compile(r'^(?:--?)?([A-Za-z][\w.-]*)=("[^"]*"|.*)$', re.DOTALL)
_FLAG = re.compile(r"^--([A-Za-z][\w-]*)$")
_MEMORY = re.compile(r"^(\d{1,5}(?:\.\d+)?)\s*(?:gib|gb|g)?$")
_LARGEST = 10**15


class Pair(NamedTuple):
    """One key as typed, its canonical name, how its value is read, and the value as typed."""

    typed: str
    key: str
    read_as: str
    value: str


class Keys(NamedTuple):
    """What the keys say, the words left (values of word keys among them), and those word keys."""

    values: dict[str, Any]
    training: dict[str, Any]
    words: tuple[Pair, ...]
    notes: tuple[Note, ...]
    rest: str


class _Key(NamedTuple):
    key: str
    read_as: str


def read_keys(text: str, language: str, usd_per_idr: float) -> Keys:
    """Every key and value taken out of a normalised text; BadInput for an unknown one."""
    pairs, rest = _pairs(text)
    values: dict[str, Any] = {}
    training: dict[str, Any] = {}
    words: list[Pair] = []
    notes: list[Note] = []
    for pair in pairs:
        if pair.read_as == "words":
            words.append(pair)
            continue
        if pair.read_as.startswith("money"):
            key, value, said = _money(pair, language, usd_per_idr)
            notes.extend(said)
        else:
            key, value = pair.key, read_value(pair)
        (training if key in Tuning.model_fields else values)[key] = value
    return Keys(values, training, tuple(words), tuple(notes), rest)


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
        "count": _count, "number": _number, "memory": _memory, "hours": _hours, "length": _length,
        "yes_no": _yes_no,
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


def _pairs(text: str) -> tuple[list[Pair], str]:
    """The keys in a text and the text without them; values made of words stay where they stood."""
    chunks = _CHUNK.findall(text)
    pairs: list[Pair] = []
    rest: list[str] = []
    index = 0
    while index < len(chunks):
        chunk = chunks[index]
        index += 1
        inline, flag = _KEY_VALUE.match(chunk), _FLAG.match(chunk)
        if inline is None and flag is None:
            rest.append(chunk)
            continue
        typed = inline[1] if inline else flag[1] if flag else ""
        pair = find_key(typed)
        if inline:
            value = inline[2]
        elif index < len(chunks) and _is_value(pair, chunks[index]):
            value = chunks[index]
            index += 1
        else:
            value = "true" if pair.read_as == "yes_no" else ""
        pair = _as_words(pair._replace(value=value.strip('"').rstrip(",;")))
        pairs.append(pair)
        if pair.read_as == "words":
            rest.append(spaced(pair.value))
    return pairs, " ".join(rest)


def _is_value(pair: Pair, chunk: str) -> bool:
    """Whether the chunk after `--key` is its value: a yes-or-no key takes only yes or no."""
    if chunk.startswith("--"):
        return False
    return pair.read_as != "yes_no" or _yes_no(chunk.lower()) is not None


def _as_words(pair: Pair) -> Pair:
    """`gpus=2x4090` names cards, `spot=true` a market."""
    if pair.key == "gpu_count" and not pair.value.isdigit():
        return pair._replace(key="gpu", read_as="words")
    if pair.key == "spot":
        wanted = read_value(pair)
        return Pair(pair.typed, "market", "words", "spot" if wanted else "on-demand")
    return pair


def _money(pair: Pair, language: str, usd_per_idr: float) -> tuple[str, float, tuple[Note, ...]]:
    period = {"money_per_hour": "hour", "money_total": "total"}.get(pair.read_as)
    reading = read_amount(pair.value, language, usd_per_idr, period)
    if reading is None or not 0 < reading.usd < _LARGEST:
        raise BadInput("grammar.not_an_amount", key=pair.typed, value=pair.value or "?")
    key = "max_usd_per_hour" if reading.limit == "hour" else "max_usd_total"
    return key, reading.usd, reading.notes


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


def _yes_no(value: str) -> bool | None:
    found = _means().get(("yes_no", fold(value)))
    return None if found is None else found == "true"


def _number(value: str) -> float | None:
    parts = split_number(value)
    amount = whole_or_decimal(parts[0]) if parts else None
    if parts is None or amount is None or parts[1] not in {"", *phrases_of("scale")}:
        return None
    scaled = amount * float(phrases_of("scale").get(parts[1], "1"))
    return scaled if 0 < scaled < _LARGEST else None


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


def _hours(value: str) -> float | None:
    parts = split_number(value.replace(" ", ""))
    unit = phrases_of("time").get(parts[1]) if parts and parts[1] else "1"
    amount = whole_or_decimal(parts[0]) if parts else None
    return amount * float(unit) if amount and unit else None
