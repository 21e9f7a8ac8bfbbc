"""One slot for each local date and time over years of changing clocks."""

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from bot.digests.slots import Rule, Slot, due_slots

DAILY = frozenset(range(7))
ZONES = (
    ("Asia/Jakarta", "09:00", 2026),
    ("America/New_York", "01:30", 2026),
    ("America/New_York", "02:30", 2026),
    ("Europe/Berlin", "02:30", 2026),
    ("America/Nuuk", "23:30", 2026),
    ("Australia/Lord_Howe", "01:45", 2026),
    ("Australia/Lord_Howe", "02:15", 2026),
    ("Pacific/Apia", "09:00", 2011),
)


def ticks(rule: Rule, zone: str, year: int, step: timedelta) -> list[Slot]:
    """What a clock moved by `step` finds due in local `year`, each tick where the last ended."""
    found: list[Slot] = []
    since = datetime(year - 1, 12, 30, tzinfo=UTC)
    while since < datetime(year + 1, 1, 3, tzinfo=UTC):
        found += due_slots(rule, ZoneInfo(zone), since, since + step)
        since += step
    return [slot for slot in found if slot.day.year == year]


def days_of(year: int, zone: str) -> list[date]:
    days = [date(year, 1, 1) + timedelta(days=after) for after in range(365)]
    return [day for day in days if (zone, day) != ("Pacific/Apia", date(2011, 12, 30))]


@pytest.mark.parametrize(("zone", "at", "year"), ZONES)
def test_a_year_of_daily_slots_has_one_for_each_local_date(zone: str, at: str, year: int) -> None:
    rule = Rule(DAILY, (time.fromisoformat(at),))
    slots = ticks(rule, zone, year, timedelta(minutes=53))
    assert Counter(slot.day for slot in slots) == Counter(days_of(year, zone))
    assert [slot.at for slot in slots] == sorted(slot.at for slot in slots)
    assert len({slot.key for slot in slots}) == len(slots)


@pytest.mark.parametrize(("zone", "at", "year"), ZONES)
@pytest.mark.parametrize("weekday", [4, 5, 6])
def test_a_year_of_weekly_slots_has_one_for_each_week(
    zone: str, at: str, year: int, weekday: int
) -> None:
    rule = Rule(frozenset({weekday}), (time.fromisoformat(at),))
    slots = ticks(rule, zone, year, timedelta(hours=7))
    assert [slot.day for slot in slots] == [
        day for day in days_of(year, zone) if day.weekday() == weekday
    ]


@pytest.mark.parametrize(
    ("zone", "at", "day", "moment"),
    [
        # The clocks go back: the first of two.
        ("America/New_York", "01:30", date(2026, 11, 1), datetime(2026, 11, 1, 5, 30, tzinfo=UTC)),
        ("Europe/Berlin", "02:30", date(2026, 10, 25), datetime(2026, 10, 25, 0, 30, tzinfo=UTC)),
        # The clocks go forward: 02:30 is not shown, 03:00 summer time is.
        ("America/New_York", "02:30", date(2026, 3, 8), datetime(2026, 3, 8, 7, 0, tzinfo=UTC)),
        # Nuuk leaves out the last hour of a Saturday: due at 00:00 on Sunday, as Saturday's.
        ("America/Nuuk", "23:30", date(2026, 3, 28), datetime(2026, 3, 29, 1, 0, tzinfo=UTC)),
        ("Asia/Jakarta", "09:00", date(2026, 5, 4), datetime(2026, 5, 4, 2, 0, tzinfo=UTC)),
    ],
)
def test_moment(zone: str, at: str, day: date, moment: datetime) -> None:
    rule = Rule(frozenset({day.weekday()}), (time.fromisoformat(at),))
    slots = due_slots(rule, ZoneInfo(zone), moment - timedelta(days=2), moment + timedelta(days=2))
    assert [(slot.day, slot.at) for slot in slots] == [(day, moment)]


def test_the_start_is_left_out_and_the_end_is_in() -> None:
    rule, zone = Rule(DAILY, (time(9),)), ZoneInfo("UTC")
    nine = datetime(2026, 5, 4, 9, tzinfo=UTC)
    assert due_slots(rule, zone, nine, nine + timedelta(hours=1)) == ()
    assert len(due_slots(rule, zone, nine - timedelta(seconds=1), nine)) == 1


def test_a_time_without_its_zone_is_refused() -> None:
    now = datetime(2026, 5, 4, 9, tzinfo=UTC)
    with pytest.raises(ValueError, match="zone"):
        due_slots(Rule(DAILY, (time(9),)), ZoneInfo("UTC"), now.replace(tzinfo=None), now)


def test_d117_six_in_jakarta_is_once_at_23_utc_of_the_day_before() -> None:
    rule = Rule(DAILY, (time(6),))
    midnight = datetime(2026, 5, 3, 12, tzinfo=UTC)
    slots = due_slots(rule, ZoneInfo("Asia/Jakarta"), midnight, midnight + timedelta(days=1))
    assert [slot.at for slot in slots] == [datetime(2026, 5, 3, 23, tzinfo=UTC)]


def test_d118_three_days_of_ticks_have_three_slots() -> None:
    rule, since = Rule(DAILY, (time(9),)), datetime(2026, 5, 4, tzinfo=UTC)
    found: list[Slot] = []
    for minute in range(3 * 24 * 60):
        tick = since + timedelta(minutes=minute)
        found += due_slots(rule, ZoneInfo("UTC"), tick, tick + timedelta(minutes=1))
    assert [slot.day.day for slot in found] == [4, 5, 6]


@pytest.mark.parametrize(
    ("zone", "at", "day"),
    [
        pytest.param("Europe/Berlin", "02:30", date(2026, 10, 25), id="D119-autumn"),
        pytest.param("Europe/Berlin", "02:30", date(2027, 3, 28), id="D119-spring"),
        pytest.param("America/New_York", "10:00", date(2027, 3, 14), id="D121"),
        pytest.param("America/Nuuk", "23:30", date(2024, 3, 29), id="H38-before"),
        pytest.param("America/Nuuk", "23:30", date(2024, 3, 30), id="H38-gap"),
        pytest.param("America/Nuuk", "23:30", date(2024, 3, 31), id="H38-after"),
    ],
)
def test_a_day_of_changing_clocks_has_one_slot(zone: str, at: str, day: date) -> None:
    rule = Rule(DAILY, (time.fromisoformat(at),))
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    slots = due_slots(rule, ZoneInfo(zone), noon - timedelta(days=3), noon + timedelta(days=3))
    assert [slot.day for slot in slots].count(day) == 1
    gap = (zone, day) in {
        ("Europe/Berlin", date(2027, 3, 28)),
        ("America/Nuuk", date(2024, 3, 30)),
    }
    shown = next(slot.at for slot in slots if slot.day == day).astimezone(ZoneInfo(zone))
    assert (f"{shown:%H:%M}" != at) == gap


def test_d120_no_slot_is_more_than_25_hours_after_the_one_before() -> None:
    rule = Rule(DAILY, (time(9),))
    for zone in ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe"):
        at = [slot.at for slot in ticks(rule, zone, 2026, timedelta(hours=1))]
        steps = [after - before for before, after in pairwise(at)]
        assert max(steps) <= timedelta(hours=25)
        assert min(steps) >= timedelta(hours=23)
