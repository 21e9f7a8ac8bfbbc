"""Spot or on-demand, and the rate at which the answer flips."""

from typing import NamedTuple

from planner.notes import Note, note
from planner.query import Market
from planner.spot.deadline import Outcome, outcome
from planner.spot.job import SpotJob

#: Spot must be expected to save at least this share of the on-demand cost.
WORTHWHILE_SAVING = 0.01
#: Spot without an on-demand machine to change to must be in time with this chance.
SAFE_CHANCE = 0.95
#: Beyond this many interruptions an hour nothing is ever finished.
_HIGHEST_RATE = 1e4
#: Once in a century: at no rate at all even the last save is free, which decides nothing.
_LOWEST_RATE = 1e-6
_CLOSE = 1e-5
_MOST_TRIES = 60


class Judgement(NamedTuple):
    """What to rent for a job and why; `break_even_rate` is the interruptions per hour at which the
    answer flips, None where none does it.
    """

    recommend: Market
    outcome: Outcome
    break_even_rate: float | None
    why: Note


def judge(job: SpotJob, on_demand_usd: float | None, beside_usd: float = 0.0) -> Judgement:
    """Whether to run `job` on spot, where the whole run costs `on_demand_usd` on-demand.

    `beside_usd` is what the run costs on spot beside training. Spot is never recommended where it
    could miss a deadline that on-demand meets.
    """
    found = outcome(job)
    barred = _barred(job, found)
    saves = on_demand_usd is None or found.usd + beside_usd <= _worthwhile(on_demand_usd)
    return Judgement(
        recommend="spot" if saves and barred is None else "on_demand",
        outcome=found,
        break_even_rate=_break_even_rate(job, on_demand_usd, beside_usd),
        why=barred or _why(job, found, on_demand_usd, found.usd + beside_usd),
    )


def _worthwhile(on_demand_usd: float) -> float:
    """The most that spot may cost."""
    return on_demand_usd * (1 - WORTHWHILE_SAVING)


def _barred(job: SpotJob, found: Outcome) -> Note | None:
    """Why a deadline rules spot out, whatever it costs."""
    deadline, slack, in_time = job.deadline_hours, job.slack_hours, found.chance_in_time
    if deadline is None or slack is None or in_time is None:
        return None
    if deadline < job.hours:
        return note("spot.deadline_too_short", deadline_hours=deadline, run_hours=job.hours)
    if in_time >= 1:
        return None
    if job.on_demand_usd_per_hour is None:
        return None if in_time >= SAFE_CHANCE else note("spot.too_late", chance_fraction=in_time)
    if slack <= 0:
        return note("spot.no_slack", deadline_hours=deadline, run_hours=job.hours)
    return None


def _why(job: SpotJob, found: Outcome, on_demand_usd: float | None, spot_usd: float) -> Note:
    if on_demand_usd is None:
        return note("spot.no_on_demand_price")
    if spot_usd >= on_demand_usd:
        return note("spot.costs_more")
    saved = 1 - spot_usd / on_demand_usd
    if spot_usd > _worthwhile(on_demand_usd):
        return note("spot.saves_little", saved_fraction=saved)
    slack = job.slack_hours
    if slack is None or not found.chance_of_change:
        return note("spot.saves", saved_fraction=saved)
    return note(
        "spot.saves_then_changes",
        saved_fraction=saved,
        slack_hours=slack,
        change_fraction=found.chance_of_change,
    )


def _break_even_rate(job: SpotJob, on_demand_usd: float | None, beside_usd: float) -> float | None:
    """The rate at which spot stops saving enough, by regula falsi (Illinois).

    None where no rate decides: no price to compare with, spot dearer even undisturbed, or a
    deadline without slack.
    """
    slack = job.slack_hours
    if on_demand_usd is None or (slack is not None and slack <= 0):
        return None
    target = _worthwhile(on_demand_usd) - beside_usd
    if target <= 0:
        return None

    def over(rate: float) -> float:
        return outcome(job._replace(interruptions_per_hour=rate)).usd / target - 1

    low, high = _LOWEST_RATE, 1.0
    at_low, at_high = over(low), over(high)
    if at_low >= 0:
        return None
    while at_high < 0:
        low, high, at_low = high, high * 2, at_high
        if high > _HIGHEST_RATE:
            return None
        at_high = over(high)
    for _ in range(_MOST_TRIES):
        at_high = min(at_high, 1.0)
        rate = high - at_high * (high - low) / (at_high - at_low)
        at_rate = over(rate)
        if abs(at_rate) < _CLOSE or high - low == 0:
            return rate
        if at_rate * at_high < 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = rate, at_rate
    return high
