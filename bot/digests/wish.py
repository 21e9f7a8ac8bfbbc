"""A digest in plain words: which days and times, in which zone, of what, from which change on."""

import re
from datetime import time
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from bot.digests.slots import Rule
from planner.data_files import read_rows
from planner.errors import BadInput
from planner.query import Language

#: Where nobody says: Mondays at nine, moves of at least so many per cent.
DEFAULT_DAYS, DEFAULT_TIME = frozenset({0}), time(9)
DEFAULT_PERCENT = 5.0
#: Zone where nobody says, by the language of the wish: most who write Indonesian are there.
DEFAULT_ZONES: dict[Language, str] = {"en": "UTC", "id": "Asia/Jakarta"}
_TIME = re.compile(
    r"(?:\b(?:at|jam|pukul)\s+)?\b([01]?\d|2[0-3])(?:[:.]([0-5]\d))\s*(am|pm)?\b"
    r"|\b(?:at|jam|pukul)\s+([01]?\d|2[0-3])\s*(am|pm|pagi|sore|malam)?\b"
    r"|\b(1[0-2]|[1-9])\s*(am|pm)\b",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"(\d+(?:[.,]\d+)?)\s*%")
_ZONE = re.compile(r"\b([A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_]+){1,2})\b")
_AFTER_NOON = {"pm", "sore", "malam"}


class Wish(NamedTuple):
    """What was asked for: `what` are the words left, about GPUs, providers and regions."""

    what: str
    rule: Rule
    zone: ZoneInfo
    zone_said: bool
    threshold_percent: float
    only_on_change: bool


def read_wish(text: str, language: Language) -> Wish:
    """The wish in `text`; BadInput names a time zone nobody knows."""
    rest = f" {text} "
    rest, zone = _zone(rest)
    rest, percent = _taken(_PERCENT, rest)
    rest, times = _times(rest)
    rest, days = _days(rest)
    rest, changes = _phrase(rest, "changes")
    words = [word for word in rest.replace(",", " ").split() if word.lower() not in _fillers()]
    return Wish(
        what=" ".join(words),
        rule=Rule(days or DEFAULT_DAYS, times or (DEFAULT_TIME,)),
        zone=ZoneInfo(zone or DEFAULT_ZONES[language]),
        zone_said=zone is not None,
        threshold_percent=float(percent.replace(",", ".")) if percent else DEFAULT_PERCENT,
        only_on_change=changes is not None,
    )


def _zone(text: str) -> tuple[str, str | None]:
    found = _ZONE.search(text)
    if found is not None:
        if found[1] not in available_timezones():
            raise BadInput("digests.unknown_zone", zone=found[1])
        return text.replace(found[0], " ", 1), found[1]
    return _phrase(text, "zone")


def _times(text: str) -> tuple[str, tuple[time, ...]]:
    found = []
    for match in _TIME.finditer(text):
        hour = int(match[1] or match[4] or match[6])
        half = (match[3] or match[5] or match[7] or "").lower()
        if half in _AFTER_NOON and hour < 12:
            hour += 12
        if half == "am" and hour == 12:
            hour = 0
        found.append(time(hour, int(match[2] or 0)))
    return _TIME.sub(" ", text), tuple(sorted(set(found)))


def _days(text: str) -> tuple[str, frozenset[int]]:
    rest, several = _phrase(text, "days")
    days = {int(day) for day in several or ""}
    while (found := _phrase(rest, "day"))[1] is not None:
        rest = found[0]
        days.add(int(found[1]))
    return rest, frozenset(days)


def _phrase(text: str, means: str) -> tuple[str, str | None]:
    """The text without the longest phrase of this meaning, and its value."""
    for words, value in _phrases(means):
        match = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE)
        if match is not None:
            return text[: match.start()] + " " + text[match.end() :], value
    return text, None


def _taken(pattern: re.Pattern[str], text: str) -> tuple[str, str | None]:
    match = pattern.search(text)
    return (text, None) if match is None else (pattern.sub(" ", text, count=1), match[1])


@cache
def _phrases(means: str) -> tuple[tuple[str, str], ...]:
    found = [
        (words, row["value"])
        for row in read_rows("bot.digests", "words.csv")
        if row["means"] == means
        for words in row["words"].split(";")
    ]
    return tuple(sorted(found, key=lambda one: -len(one[0])))


@cache
def _fillers() -> frozenset[str]:
    return frozenset(words for words, _ in _phrases("filler"))
