"""`muat spot`: a job as keys or in words, and whether to run it on spot."""

import math
import re
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import Field

from bot.machine import Output, jsonable, write_json
from bot.settings import answer_settings
from planner.catalog.providers import find_provider
from planner.errors import BadInput
from planner.notes import Note
from planner.query import Language
from planner.spot.answer import Described, SpotAnswer, answer

_NUMBER = re.compile(r"^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$", re.IGNORECASE)
_NEEDED = ("hours", "on_demand", "spot")


class _Range(NamedTuple):
    """The values a key may have; `low` itself only where `from_low`."""

    low: float
    high: float
    from_low: bool = False


_RANGES = {
    "hours": _Range(0, 20_000),
    "on_demand": _Range(0, 1e6),
    "spot": _Range(0, 1e6),
    "interruptions_per_hour": _Range(0, 1000, from_low=True),
    "outage_hours": _Range(0, 20_000, from_low=True),
    "save_seconds": _Range(0, 1e6, from_low=True),
    "load_seconds": _Range(0, 1e6, from_low=True),
    "deadline_hours": _Range(0, 200_000),
    "notice_seconds": _Range(0, 1e7, from_low=True),
}


class SpotReply(SpotAnswer):
    """The answer, which is said in the language it was asked in."""

    language: Language = Field(default="en", exclude=True)


def spot_words(words: tuple[str, ...], reader: Language | None = None) -> SpotReply:
    """The answer to `hours=12 on_demand=2.5 ...`, to a text, or to both together."""
    pairs = dict(word.lstrip("-").split("=", 1) for word in words if _is_pair(word))
    text = " ".join(word for word in words if not _is_pair(word))
    if not text.strip():
        return _reply(_values(pairs), (), reader or "en")
    from bot.grammar.spot import read_spot

    read = read_spot(text, 1 / answer_settings().idr_per_usd, reader or "en")
    return _reply(_values({**read.values, **pairs}), read.notes, read.language)


def spot_line(line: Mapping[str, object]) -> SpotReply:
    """The answer to one JSON object: a text, or the keys themselves."""
    text = line.get("text")
    if isinstance(text, str):
        from bot.grammar.keys import split_chunks

        return spot_words(split_chunks(text))
    return _reply(
        _values({key: value for key, value in line.items() if value is not None}), (), "en"
    )


def say_spot(found: SpotReply, out: Output) -> None:
    """Write one answer."""
    spoken = out.words(found.language)
    if out.json:
        write_json(jsonable(found, spoken))
        return
    lines = [
        spoken.t(
            f"spot.recommend_{found.recommend}",
            expected_hours=found.expected_hours_spot,
            usd_spot=found.expected_usd_spot,
            usd_on_demand=found.expected_usd_on_demand,
        ),
        spoken.say(found.why),
    ]
    if found.probability_in_time is not None:
        lines.append(spoken.t("spot.in_time", chance_fraction=found.probability_in_time))
    if found.break_even_interruptions_per_hour is not None:
        lines.append(
            spoken.t(
                "spot.flips",
                break_even=found.break_even_interruptions_per_hour,
                rate=found.interruptions_per_hour,
            )
        )
    lines.append(
        spoken.t(
            "spot.checkpoint",
            every_hours=found.checkpoint_interval_minutes / 60,
            overhead_fraction=found.overhead_fraction,
        )
    )
    lines += [f"- {spoken.say(one)}" for one in found.assumptions]
    sys.stdout.write("\n".join(lines) + "\n")


def _is_pair(word: str) -> bool:
    return re.match(r"^-{0,2}[A-Za-z_][\w-]*=", word) is not None


def _reply(values: dict[str, Any], notes: tuple[Note, ...], language: Language) -> SpotReply:
    missing = tuple(key for key in _NEEDED if key not in values)
    if missing:
        raise BadInput("spot.missing", keys=missing)
    found = answer(Described(**values), notes)
    return SpotReply(
        language=language, **{name: getattr(found, name) for name in SpotAnswer.model_fields}
    )


def _values(said: Mapping[str, object]) -> dict[str, Any]:
    """Every key with its value read; BadInput names the one that is wrong."""
    values: dict[str, Any] = {}
    for typed, value in said.items():
        key = typed.replace("-", "_").lower()
        if key == "provider":
            values[key] = _provider(value)
        elif key not in _RANGES:
            raise BadInput("spot.unknown_key", key=typed, known=(*_RANGES, "provider"))
        else:
            values[key] = _amount(key, value)
    return values


def _provider(value: object) -> str:
    name = find_provider(str(value))
    if name is None:
        raise BadInput("spot.unknown_provider", provider=str(value))
    return name


def _amount(key: str, value: object) -> float:
    """A number within the key's range, written plainly or with its unit."""
    allowed, number = _RANGES[key], _number(key, value)
    if number is None:
        raise BadInput("spot.not_a_number", key=key, value=str(value) or "?")
    if not (allowed.low < number or (allowed.from_low and number == allowed.low)):
        code = "spot.negative" if allowed.from_low else "spot.not_above_zero"
        raise BadInput(code, key=key, value=str(value))
    if number > allowed.high:
        raise BadInput("spot.too_large", key=key, value=str(value), most=round(allowed.high))
    return number


def _number(key: str, value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = str(value).strip()
    if _NUMBER.match(text):
        number = float(text)
        return number if math.isfinite(number) else None
    if isinstance(value, str):
        from bot.grammar.spot import read_measure

        return read_measure(key, text, 1 / answer_settings().idr_per_usd)
    return None
