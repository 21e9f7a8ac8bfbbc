"""When a rule is due: one slot for each local date and time, whatever the clocks of its zone do."""

from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

#: Local dates run at most a day ahead of UTC's or behind it; a date left out adds one more.
_MARGIN = timedelta(days=2)


class Rule(NamedTuple):
    """Local times on days of the week (0 is Monday)."""

    weekdays: frozenset[int]
    times: tuple[time, ...]


class Slot(NamedTuple):
    """One sending that a rule asks for; `at` is the moment in UTC."""

    at: datetime
    day: date
    time: time

    @property
    def key(self) -> str:
        """The slot's name, which no other slot of its rule has: its local date and time."""
        return f"{self.day.isoformat()}T{self.time:%H:%M}"


def due_slots(rule: Rule, zone: ZoneInfo, since: datetime, now: datetime) -> tuple[Slot, ...]:
    """The slots of `rule` after `since` and up to `now`, earliest first.

    A time that the clocks pass twice is due the first time only. A time that they leave out is
    due at the first minute that they show after it. A date that a zone leaves
    out whole (Samoa's 30 December 2011) has no slots.
    """
    if since.tzinfo is None or now.tzinfo is None:
        raise ValueError("a time without its zone")
    first = since.astimezone(UTC).date() - _MARGIN
    last = now.astimezone(UTC).date() + _MARGIN
    days = (first + timedelta(days=after) for after in range((last - first).days + 1))
    slots = (
        Slot(_moment(day, at, zone), day, at)
        for day in days
        if day.weekday() in rule.weekdays and _exists(day, zone)
        for at in rule.times
    )
    return tuple(sorted(slot for slot in slots if since < slot.at <= now))


def _moment(day: date, at: time, zone: ZoneInfo) -> datetime:
    moment = datetime.combine(day, at.replace(fold=0), zone).astimezone(UTC)
    wanted = datetime.combine(day, at)
    if moment.astimezone(zone).replace(tzinfo=None) == wanted:
        return moment
    minute = timedelta(minutes=1)
    while (moment - minute).astimezone(zone).replace(tzinfo=None) > wanted:
        moment -= minute
    return moment


def _exists(day: date, zone: ZoneInfo) -> bool:
    """Whether the clocks of `zone` ever showed `day`; noon is enough, as no change of hours is
    so long and none lies there.
    """
    return _moment(day, time(12), zone).astimezone(zone).date() == day
