"""A watched price is told when it gets under its limit, once each time it gets there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.watching import REARM_FRACTION, Standing, first_standing, step

ARMED = Standing(True, None)


def notices(prices, limit, standing=ARMED):
    """How often `prices` are told, and how often the watch was armed again on the way."""
    told = rearmed = 0
    for price in prices:
        found = step(standing, price, limit)
        told += found.crossed
        rearmed += found.standing.armed and not standing.armed
        standing = found.standing
    return told, rearmed


def test_d126_every_crossing_is_told_not_only_the_first():
    assert notices([2.1, 1.9, 2.2, 1.8], 2.00) == (2, 1)


def test_d122_a_price_that_stays_under_is_told_once():
    assert notices([2.00, 1.60, 1.60, 1.60, 1.60, 1.60], 1.80) == (1, 0)


def test_d123_cents_of_wobble_around_the_limit_are_told_once():
    assert notices([2.51, 2.49, 2.50, 2.49, 2.50, 2.49], 2.50) == (1, 0)


def test_d125_a_price_of_zero_is_no_price():
    assert notices([2.10, 0, 1.90], 2.00) == (1, 0)
    assert notices([2.10, 1.90, 0, 1.90], 2.00) == (1, 0)
    assert step(ARMED, 0.0, 2.00).standing == ARMED


def test_a_price_that_vanishes_and_comes_back_is_no_news():
    assert notices([1.90, None, None, 1.90], 2.00) == (1, 0)
    assert step(Standing(False, 1.9), None, 2.00).standing == Standing(False, 1.9)


@pytest.mark.parametrize(("usd", "armed"), [(1.99, False), (2.00, True), (None, True), (0, True)])
def test_a_watch_that_begins_under_its_limit_waits_until_the_price_has_left(usd, armed):
    assert first_standing(usd, 2.00).armed is armed


def test_it_is_armed_again_from_two_per_cent_above():
    under = Standing(False, 39.0)
    assert not step(under, 40.79, 40.0).standing.armed
    assert step(under, 40.81, 40.0).standing.armed


PRICES = st.lists(st.one_of(st.none(), st.floats(0, 5, allow_nan=False)), max_size=60)


@given(PRICES, st.floats(0.5, 4))
def test_d126_notices_never_outnumber_rearms_by_more_than_one(prices, limit):
    told, rearmed = notices(prices, limit)
    assert rearmed <= told <= rearmed + 1


@given(PRICES, st.floats(0.5, 4))
def test_between_two_notices_the_price_was_out_of_the_zone(prices, limit):
    standing, last_told = ARMED, None
    for at, price in enumerate(prices):
        found = step(standing, price, limit)
        if found.crossed:
            assert price is not None and 0 < price < limit
            if last_told is not None:
                between = [one for one in prices[last_told:at] if one is not None]
                assert max(between) >= limit * (1 + REARM_FRACTION)
            last_told = at
        standing = found.standing
