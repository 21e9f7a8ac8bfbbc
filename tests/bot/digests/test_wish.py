"""Digests in plain words, in both languages."""

from datetime import time

import pytest

from bot.digests.wish import read_wish
from planner.errors import BadInput

WEEKDAYS, DAILY = frozenset(range(5)), frozenset(range(7))


@pytest.mark.parametrize(
    ("text", "days", "times", "zone", "what", "percent"),
    [
        ("mondays 09:00 Asia/Jakarta h100 a100 over 5%", {0}, ["09:00"], "Asia/Jakarta",
         "h100 a100", 5.0),
        ("every monday and thursday at 9am UTC h100 spot", {0, 3}, ["09:00"], "UTC",
         "h100 spot", 5.0),
        ("daily 08:30 and 18:00 Europe/Berlin 4090 only moves over 2,5%", DAILY,
         ["08:30", "18:00"], "Europe/Berlin", "4090", 2.5),
        ("weekdays 7pm America/New_York runpod", WEEKDAYS, ["19:00"], "America/New_York",
         "runpod", 5.0),
        ("tiap senin jam 9 WIB h100 di atas 5%", {0}, ["09:00"], "Asia/Jakarta", "h100", 5.0),
        ("hari kerja jam 8 malam WITA a100 naik lebih dari 10%", WEEKDAYS, ["20:00"],
         "Asia/Makassar", "a100", 10.0),
        ("h100", {0}, ["09:00"], "UTC", "h100", 5.0),
    ],
)  # fmt: skip
def test_days_times_zone_and_threshold_are_read(
    text: str, days: set[int], times: list[str], zone: str, what: str, percent: float
) -> None:
    found = read_wish(text, "en")
    assert found.rule.weekdays == frozenset(days)
    assert found.rule.times == tuple(time.fromisoformat(one) for one in times)
    assert found.zone.key == zone
    assert found.what == what
    assert found.threshold_percent == percent


def test_who_writes_indonesian_is_in_jakarta_unless_said() -> None:
    found = read_wish("tiap jumat jam 9 h100 kalau berubah", "id")
    assert found.zone.key == "Asia/Jakarta" and not found.zone_said
    assert found.only_on_change and found.what == "h100"


def test_a_zone_nobody_knows_is_named() -> None:
    with pytest.raises(BadInput) as refusal:
        read_wish("mondays 09:00 Asia/Jakarta2x Mars/Olympus h100", "en")
    assert refusal.value.note.code == "digests.unknown_zone"
