"""How old a price is, in the bands the cards show."""

from datetime import UTC, date, datetime, time

from planner.catalog.offer import Offer
from planner.plan.result import Freshness

FRESH_HOURS = 24.0
AGEING_HOURS = 7 * 24.0
#: From here on an answer warns that its prices are old.
TOO_OLD_HOURS = 30 * 24.0


def freshness(offer: Offer, now: datetime) -> Freshness:
    """The band of one offer: a sample stays a sample, a price without a date is undated."""
    if offer.is_sample:
        return "sample"
    if offer.as_of is None:
        return "undated"
    return band(age_hours(offer.as_of, now))


def band(hours: float) -> Freshness:
    """fresh up to a day, ageing up to a week, stale beyond."""
    if hours <= FRESH_HOURS:
        return "fresh"
    return "ageing" if hours <= AGEING_HOURS else "stale"


def is_too_old(hours: float) -> bool:
    """Whether prices of this age are worth a warning, and not worth a digest."""
    return hours > TOO_OLD_HOURS


def age_hours(day: date, now: datetime) -> float:
    """Hours from the start of `day` (UTC) to the zone-aware `now`; never negative."""
    start = datetime.combine(day, time(), tzinfo=UTC)
    return max(0.0, (now - start).total_seconds() / 3600)
