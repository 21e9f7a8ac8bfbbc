"""A run on spot that changes to on-demand for good when its slack has run out.

The rule is that of "Can't Be Late" (Wu et al., NSDI 2024): as long as on-demand could still finish
the rest in time, spot is tried; from then on nothing else is.
"""

import math
from typing import NamedTuple

from planner.spot.expected import expected
from planner.spot.interval import best_interval_hours
from planner.spot.job import SpotJob
from planner.spot.losses import Losses, chance_within, losses, lost_within_hours

#: Steps in which the chance to be still on spot is summed up; even.
_STEPS = 12
#: Mean times between interruptions after which a run without slack for one is never still on spot.
_NEVER = 14.0
#: Multiple of the up hours in which the slack is lost on average, after which it always is.
_ALWAYS_LOST = 4.0


class Outcome(NamedTuple):
    """A run on spot: expected hours and dollars, the change to on-demand included.

    `chance_in_time` is that of spot alone, None without a deadline; `chance_of_change` that slack
    runs out. `on_demand_hours` are those expected after a change.
    """

    hours: float
    usd: float
    spot_hours: float
    on_demand_hours: float
    chance_in_time: float | None
    chance_of_change: float


def outcome(job: SpotJob) -> Outcome:
    """How a run on spot is expected to go, with the best interval.

    Where a deadline leaves slack and the on-demand price is known, it changes in time; otherwise it
    stays on spot.
    """
    alone = expected(job, best_interval_hours(job))
    lost = losses(job, alone)
    in_time = None
    if job.deadline_hours is not None:
        spare = job.deadline_hours - job.hours
        in_time = chance_within(lost, alone.up_hours, spare) if spare >= 0 else 0.0
    slack, on_demand = job.slack_hours, job.on_demand_usd_per_hour
    if slack is None or slack <= 0 or on_demand is None or not lost.rate:
        return Outcome(alone.hours, alone.usd, alone.billed_hours, 0.0, in_time, 0.0)
    limit = slack - _at_risk_hours(job, alone.up_hours)
    kept = chance_within(lost, alone.up_hours, limit)
    kept_lost = lost_within_hours(lost, alone.up_hours, limit)
    change = 1 - kept
    up_hours, unsaved = _on_spot(job, lost, alone.up_hours, slack)
    spot_hours = up_hours * alone.billed_hours / alone.up_hours
    left = max(0.0, job.hours * (1 - up_hours / alone.up_hours)) + unsaved
    on_demand_hours = left + change * job.load_hours
    in_the_end = job.hours + slack + job.load_hours
    return Outcome(
        hours=job.hours * kept + kept_lost + change * in_the_end,
        usd=spot_hours * job.spot_usd_per_hour + on_demand_hours * on_demand,
        spot_hours=spot_hours,
        on_demand_hours=on_demand_hours,
        chance_in_time=in_time,
        chance_of_change=change,
    )


def _on_spot(
    job: SpotJob, lost: Losses, up_hours: float, slack_hours: float
) -> tuple[float, float]:
    """Expected up hours until the run is done or its slack is lost, and those of them that went
    into more saves than usual.

    Losses only grow, so after v up hours the run is still on spot where v up hours lose no more
    than the slack: the integral of that chance over v, by Simpson's rule up to where it is nil.
    """
    most = _most_up_hours(job, slack_hours)
    end = min(up_hours, most, _ALWAYS_LOST * slack_hours / lost.per_up_hour + _NEVER / lost.rate)
    chances = []
    for step in range(_STEPS + 1):
        up = end * step / _STEPS
        chances.append(chance_within(lost, up, slack_hours - _at_risk_hours(job, up)))
    inner = 4 * sum(chances[1:-1:2]) + 2 * sum(chances[2:-1:2])
    saves = chances[-1] * _at_risk_hours(job, end) if end == most else 0.0
    return (chances[0] + inner + chances[-1]) * end / _STEPS / 3, saves


def _at_risk_hours(job: SpotJob, up_hours: float) -> float:
    """Slack that must be left beside what saving takes, so that unsaved work may be lost.

    A run near the end of its slack r saves as soon as its unsaved work reaches r, which shortens
    its intervals by a save each: from r on it can be up for (r + d)(r + 4d) / 2d hours, d the time
    to save. Solved for r, up to the usual interval; d / (interval + d) an hour is for saving.
    """
    save, interval = job.save_hours, best_interval_hours(job)
    if save <= 0:
        return 0.0
    saving = save / (interval + save)
    shrinking = _most_up_hours(job, interval - save)
    if up_hours > shrinking:
        return max(0.0, interval - save - shrinking * saving)
    needed = (math.sqrt(9 * save**2 + 8 * save * up_hours) - 5 * save) / 2
    return max(0.0, needed - up_hours * saving)


def _most_up_hours(job: SpotJob, slack_hours: float) -> float:
    """Up hours for which an uninterrupted run can stay on spot with so much slack."""
    save, interval = job.save_hours, best_interval_hours(job)
    if save <= 0:
        return math.inf
    shrinking = max(0.0, min(slack_hours, interval - save))
    usual = max(0.0, slack_hours - shrinking) * (interval + save) / save
    return (shrinking + save) * (shrinking + 4 * save) / (2 * save) + usual
