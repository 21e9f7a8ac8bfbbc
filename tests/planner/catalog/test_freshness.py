"""Bands of age."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from planner.catalog.freshness import age_hours, freshness
from planner.catalog.offer import Offer

DAY = date(2026, 11, 1)
START = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("hours", "band"),
    [(0, "fresh"), (24, "fresh"), (25, "ageing"), (168, "ageing"), (169, "stale")],
)
def test_a_day_is_fresh_a_week_is_ageing_more_is_stale(
    offer: Callable[..., Offer], hours: int, band: str
) -> None:
    assert freshness(offer(as_of=DAY), START + timedelta(hours=hours)) == band


def test_a_price_without_a_date_is_undated_however_lately_it_was_read(
    offer: Callable[..., Offer],
) -> None:
    assert freshness(offer(as_of=None, gathered_on=DAY), START) == "undated"


def test_a_sample_stays_a_sample(offer: Callable[..., Offer]) -> None:
    assert freshness(offer(as_of=DAY, is_sample=True), START) == "sample"


def test_age_counts_in_any_zone_and_never_below_zero() -> None:
    jakarta = timezone(timedelta(hours=7))
    assert age_hours(DAY, datetime(2026, 11, 2, 7, tzinfo=jakarta)) == 24
    assert age_hours(DAY, START - timedelta(hours=5)) == 0
