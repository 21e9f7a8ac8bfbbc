"""Spot: against closed forms, against a simulation, and at its edges."""

import math
import random
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.spot.expected import expected
from planner.spot.interval import best_interval_hours, daly_interval_hours
from planner.spot.job import SpotJob
from planner.spot.judge import WORTHWHILE_SAVING, judge
from planner.spot.rates import rate_of

JOB = SpotJob(
    hours=12.0,
    spot_usd_per_hour=0.8,
    on_demand_usd_per_hour=None,
    interruptions_per_hour=0.44,
    outage_hours=0.75,
    save_seconds=60.0,
    load_seconds=300.0,
)


def at(rate: float, job: SpotJob = JOB) -> SpotJob:
    return job._replace(interruptions_per_hour=rate)


RATES = st.floats(0.01, 2.0)


@pytest.mark.parametrize(
    ("save_seconds", "rate", "minutes"),
    [
        # Daly 2006, eq. 37, worked by hand: d = 1 min, M = 1000 min
        # sqrt(2000) x (1 + sqrt(1/2000)/3 + (1/2000)/9) - 1
        (60.0, 0.06, 44.7213595 * (1 + 0.0223606798 / 3 + 0.0005 / 9) - 1),
        # d = 2 M: the mean time between interruptions itself
        (7200.0, 1.0, 60.0),
        (9000.0, 1.0, 60.0),
    ],
)
def test_dalys_interval(save_seconds: float, rate: float, minutes: float) -> None:
    assert daly_interval_hours(save_seconds, rate) * 60 == pytest.approx(minutes, rel=1e-6)


@given(rate=st.floats(0.001, 0.5), save=st.floats(1.0, 120.0))
def test_dalys_interval_is_youngs_where_saving_is_quick(rate: float, save: float) -> None:
    """Young 1974: sqrt(2 d M); Daly's correction is small where d is small against M."""
    young = math.sqrt(2 * save / 3600 / rate)
    assert daly_interval_hours(save, rate) == pytest.approx(young, rel=0.15)


@given(rate=RATES)
def test_no_other_interval_does_much_better(rate: float) -> None:
    best = expected(at(rate), best_interval_hours(at(rate))).hours
    others = (expected(at(rate), JOB.hours / n).hours for n in range(1, 400))
    assert best <= min(others) * 1.01


def simulated_hours(job: SpotJob, rate: float, interval: float, dice: random.Random) -> float:
    """One run, step by step: lose work at an interruption, wait the outage, load, go on."""
    clock, segments = 0.0, round(job.hours / interval)
    segment, load = interval + job.save_seconds / 3600, job.load_seconds / 3600
    for _ in range(segments):
        needs = segment
        while (until_taken := dice.expovariate(rate)) < needs:
            clock += until_taken + job.outage_hours
            needs = load + segment
        clock += needs
    return clock


@pytest.mark.parametrize(("rate", "segments"), [(0.05, 12), (0.44, 24), (1.5, 48)])
def test_expected_hours_against_a_simulation(rate: float, segments: int) -> None:
    """3000 runs with a fixed seed; the mean within four standard errors."""
    dice = random.Random(20261201)  # noqa: S311  a simulation, no secret
    interval = JOB.hours / segments
    runs = [simulated_hours(JOB, rate, interval, dice) for _ in range(3000)]
    error = stdev(runs) / math.sqrt(len(runs))
    assert expected(at(rate), interval).hours == pytest.approx(fmean(runs), abs=4 * error)


def test_nothing_interrupts_nothing_is_lost() -> None:
    found = expected(at(0.0), best_interval_hours(at(0.0)))
    assert found == (12.0, 12.0, 0.0, 12.0, pytest.approx(9.6))
    assert daly_interval_hours(60.0, 0.0) == math.inf


@given(rate=RATES)
def test_outages_take_time_but_are_not_billed(rate: float) -> None:
    found = expected(at(rate), 1.0)
    assert found.usd == pytest.approx(found.billed_hours * 0.8)
    assert found.hours == pytest.approx(found.billed_hours * (1 + rate * 0.75))
    assert found.billed_hours > JOB.hours


@given(rate=RATES)
def test_more_interruptions_cost_more(rate: float) -> None:
    """D074: expected hours and dollars grow with the rate, from the undisturbed run upwards."""
    calm, rough = (expected(at(one), best_interval_hours(at(one))) for one in (rate, rate * 1.5))
    assert rough.hours > calm.hours > JOB.hours
    assert rough.usd > calm.usd


@given(on_demand=st.floats(11.0, 200.0))
def test_the_break_even_rate_is_a_root(on_demand: float) -> None:
    rate = judge(JOB, on_demand).break_even_rate
    assert rate is not None
    found = expected(at(rate), best_interval_hours(at(rate)))
    assert found.usd == pytest.approx(on_demand * (1 - WORTHWHILE_SAVING), rel=1e-5)


@given(on_demand=st.floats(11.0, 200.0), factor=st.floats(0.5, 2.0))
def test_the_answer_flips_at_the_break_even_rate(on_demand: float, factor: float) -> None:
    rate = judge(JOB, on_demand).break_even_rate
    assert rate is not None
    if abs(factor - 1) > 1e-3:
        market = "spot" if factor < 1 else "on_demand"
        assert judge(at(rate * factor), on_demand).recommend == market


def test_spot_that_costs_more_undisturbed_never_breaks_even() -> None:
    assert judge(JOB, 9.6).break_even_rate is None
    assert judge(JOB, 5.0).break_even_rate is None


@pytest.mark.parametrize("rate", [50.0, 1e4, 1e6])
def test_a_hopeless_rate_is_a_very_large_number_not_an_error(rate: float) -> None:
    slow = JOB._replace(load_seconds=36_000.0)
    found = expected(at(rate, slow), best_interval_hours(at(rate, slow)))
    assert 1e6 < found.hours < math.inf


def test_a_rate_nobody_published_is_called_assumed() -> None:
    rate = rate_of("A provider nobody knows")
    assert rate.is_assumed
    assert rate.source and rate.source_date
    assert rate.interruptions_per_hour > 0
