"""A run that changes to on-demand when its slack runs out, against a simulation of it."""

import math
import random
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.spot.deadline import outcome
from planner.spot.interval import best_interval_hours
from planner.spot.job import SpotJob
from planner.spot.judge import judge

JOB = SpotJob(
    hours=12.0,
    spot_usd_per_hour=0.9,
    on_demand_usd_per_hour=2.5,
    interruptions_per_hour=0.44,
    outage_hours=1.25,
    save_seconds=60.0,
    load_seconds=120.0,
    deadline_hours=18.0,
)
RUNS = 1500


class Run:
    """One run, event by event: hours on spot and on-demand, and when it was done."""

    def __init__(self, job: SpotJob, dice: random.Random, *, changes: bool) -> None:
        self._job, self._dice, self._changes = job, dice, changes
        self._clock = self._saved = self.on_spot = self.on_demand = 0.0
        self._interval = best_interval_hours(job)
        first = True
        while not self._is_done():
            taken = self._clock + dice.expovariate(job.interruptions_per_hour)
            if not first:
                self._spend(min(self._clock + job.load_hours, taken))
            first = False
            self._work_until(taken)
            outage = dice.expovariate(1 / job.outage_hours)
            if not self._is_done():
                self._clock = min(self._clock + outage, max(self._clock, self._latest()))
        self.done = self._clock + self.on_demand

    def _latest(self) -> float:
        """When on-demand must take over; never without an on-demand machine."""
        if not self._changes or self._job.deadline_hours is None:
            return math.inf
        left = self._job.hours - self._saved
        return self._job.deadline_hours - left - self._job.load_hours - 2 * self._job.save_hours

    def _is_done(self) -> bool:
        if self._saved >= self._job.hours - 1e-9:
            return True
        if self._clock < self._latest() - 1e-9:
            return False
        self.on_demand = self._job.hours - self._saved + self._job.load_hours
        return True

    def _spend(self, until: float) -> None:
        until = min(until, max(self._clock, self._latest()))
        self.on_spot += until - self._clock
        self._clock = until

    def _work_until(self, taken: float) -> None:
        save = self._job.save_hours
        while self._clock < taken and not self._is_done():
            room = self._latest() - self._clock
            left = self._job.hours - self._saved
            work = min(self._interval, left, max(room - save, save))
            end = self._clock + work + save
            if end > taken:
                self.on_spot += taken - self._clock
                self._clock = taken
                return
            self.on_spot += end - self._clock
            self._clock, self._saved = end, self._saved + work


@pytest.mark.parametrize(
    ("hours", "stretch", "rate", "outage", "save"),
    [
        (4, 1.5, 0.44, 1.25, 20),
        (12, 1.15, 0.44, 0.2, 60),
        (12, 1.5, 0.44, 1.25, 180),
        (12, 2.5, 1.3, 1.25, 60),
        (48, 1.5, 0.44, 1.25, 20),
        (48, 2.5, 1.3, 0.2, 180),
    ],
)
def test_cost_hours_and_chances_against_a_simulation(
    hours: float, stretch: float, rate: float, outage: float, save: float
) -> None:
    """1,500 runs with a fixed seed: the cost within 2 % beside four standard errors, the chances
    within 0.05.
    """
    job = JOB._replace(
        hours=hours,
        deadline_hours=hours * stretch,
        interruptions_per_hour=rate,
        outage_hours=outage,
        save_seconds=save,
    )
    dice = random.Random(20261201)  # noqa: S311  a simulation, no secret
    changing = [Run(job, dice, changes=True) for _ in range(RUNS)]
    staying = [Run(job, dice, changes=False) for _ in range(RUNS)]
    found = outcome(job)
    usd = [run.on_spot * 0.9 + run.on_demand * 2.5 for run in changing]
    error = 4 * stdev(usd) / math.sqrt(RUNS)
    assert found.usd == pytest.approx(fmean(usd), abs=error + 0.02 * fmean(usd))
    done = fmean(run.done for run in changing)
    assert found.hours == pytest.approx(done, rel=0.03)
    changed = fmean(run.on_demand > 0 for run in changing)
    assert found.chance_of_change == pytest.approx(changed, abs=0.05)
    alone = fmean(run.done <= hours * stretch for run in staying)
    assert found.chance_in_time == pytest.approx(alone, abs=0.05)
    assert max(run.done for run in changing) <= hours * stretch


@given(stretch=st.floats(1.05, 4.0))
def test_a_later_deadline_never_costs_more_and_is_likelier_met(stretch: float) -> None:
    early, late = (
        outcome(JOB._replace(deadline_hours=12.0 * one)) for one in (stretch, stretch + 0.5)
    )
    assert late.usd <= early.usd * 1.001
    assert early.chance_in_time is not None and late.chance_in_time is not None
    assert late.chance_in_time >= early.chance_in_time - 1e-9


def test_without_a_deadline_nothing_changes() -> None:
    found = outcome(JOB._replace(deadline_hours=None))
    assert (found.chance_in_time, found.chance_of_change, found.on_demand_hours) == (None, 0, 0)


@given(hours=st.floats(0.5, 40.0), deadline=st.floats(0.5, 60.0), rate=st.floats(0.0, 3.0))
def test_a_deadline_on_demand_could_meet_is_never_risked(
    hours: float, deadline: float, rate: float
) -> None:
    """Spot is recommended only where a change to on-demand still ends in time, or nothing can be
    late.
    """
    job = JOB._replace(hours=hours, deadline_hours=deadline, interruptions_per_hour=rate)
    found = judge(job, hours * 2.5)
    if found.recommend == "spot":
        assert found.outcome.chance_in_time == 1 or (job.slack_hours or 0) > 0
        assert found.outcome.hours <= deadline + 1e-6


def test_a_deadline_shorter_than_the_work_is_said_to_be() -> None:
    found = judge(JOB._replace(deadline_hours=10.0), 30.0)
    assert (found.recommend, found.why.code) == ("on_demand", "spot.deadline_too_short")


def test_spot_without_an_on_demand_price_must_be_nearly_sure() -> None:
    alone = JOB._replace(on_demand_usd_per_hour=None)
    assert judge(alone._replace(deadline_hours=15.0), None).why.code == "spot.too_late"
    assert judge(alone._replace(deadline_hours=80.0), None).recommend == "spot"


def test_a_notice_long_enough_to_save_on_loses_no_work() -> None:
    told = outcome(JOB._replace(deadline_hours=None, notice_seconds=120.0))
    barely = outcome(JOB._replace(deadline_hours=None, notice_seconds=30.0))
    unwarned = outcome(JOB._replace(deadline_hours=None))
    assert told.usd < unwarned.usd == barely.usd


@pytest.mark.parametrize("rate", [0.0, 5e-324, 2.2e-311, 1e-200, 1e-12, 1e-6])
def test_a_rate_that_is_almost_nothing_is_like_none(rate: float) -> None:
    """What is lost with each interruption cannot be told from a run that has none."""
    found = outcome(JOB._replace(interruptions_per_hour=rate))
    calm = outcome(JOB._replace(interruptions_per_hour=0.0))
    assert found.usd == pytest.approx(calm.usd, rel=0.01)
    assert found.chance_in_time == pytest.approx(1.0, abs=1e-3)
