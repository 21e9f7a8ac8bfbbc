"""How likely it is that a run on spot loses no more than so many hours.

Interruptions are a Poisson process over the hours that the machine must be up. Each costs a fixed
time (lost work, save, load; its mean) and an outage that is exponential: their sum over k
interruptions is k times the fixed time and an Erlang variable of k stages.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

from planner.spot.expected import Expected
from planner.spot.job import SpotJob

#: More interruptions than this: their sum is taken as a gamma variable (chances to within 0.01).
_MANY = 60.0
#: Counts of interruptions less likely than this, all together, are left out.
_UNLIKELY = 1e-7
#: Erlang stages above which Wilson and Hilferty's cube root is exact enough (1e-4).
_MANY_STAGES = 30
#: Standard deviations beyond which nothing happens.
_FAR = 7.0
#: Interruptions expected in a run that are none: their share of what is lost cannot be told.
_NEVER = 1e-9
#: Hours that rounding may add to what is lost.
_EXACT_HOURS = 1e-9


class Losses(NamedTuple):
    """What is lost while a run is up: `saving` hours each up hour, and with each interruption, of
    which there are `rate` an up hour, `fixed_hours` and an outage of `outage_hours` on average.

    Interruptions of a recovery count to the one that it recovers from.
    """

    saving: float
    rate: float
    fixed_hours: float
    outage_hours: float

    @property
    def each_hours(self) -> float:
        """Hours expected to be lost with an interruption."""
        return self.fixed_hours + self.outage_hours

    @property
    def per_up_hour(self) -> float:
        """Hours expected to be lost each up hour."""
        return self.saving + self.rate * self.each_hours


def losses(job: SpotJob, alone: Expected) -> Losses:
    """The losses whose expectation is that of the run `alone` on spot."""
    first = job.interruptions_per_hour * alone.up_hours
    saving = (alone.up_hours - job.hours) / alone.up_hours
    if first < _NEVER:
        return Losses(saving, 0.0, 0.0, 0.0)
    return Losses(
        saving=saving,
        rate=job.interruptions_per_hour,
        fixed_hours=max(0.0, (alone.billed_hours - alone.up_hours) / first),
        outage_hours=alone.interruptions / first * job.outage_hours,
    )


def chance_within(lost: Losses, up_hours: float, limit_hours: float) -> float:
    """The chance that `up_hours` of a run lose at most `limit_hours`, the saving included."""
    left = limit_hours - lost.saving * up_hours
    count = lost.rate * up_hours
    if left < -_EXACT_HOURS:
        return 0.0
    mean = count * lost.each_hours
    spread = math.sqrt(count * (lost.each_hours**2 + lost.outage_hours**2))
    if left >= mean + _FAR * (spread + lost.each_hours):
        return 1.0
    if left < mean - _FAR * spread:
        return 0.0
    if count > _MANY:
        return _gamma((mean / spread) ** 2, left / mean * (mean / spread) ** 2)
    return min(1.0, sum(weight * below for weight, _, below in _by_count(lost, count, left)))


def lost_within_hours(lost: Losses, up_hours: float, limit_hours: float) -> float:
    """The hours that `up_hours` of a run are expected to lose, where more than the limit counts as
    none.
    """
    saving = lost.saving * up_hours
    count = lost.rate * up_hours
    chance = chance_within(lost, up_hours, limit_hours)
    if chance in (0.0, 1.0) or count > _MANY:
        return chance * min(limit_hours, saving + count * lost.each_hours)
    left = limit_hours - saving
    hours = saving * chance
    for k, (weight, stages, below) in enumerate(_by_count(lost, count, left)):
        hours += weight * k * lost.fixed_hours * below
        hours += weight * k * lost.outage_hours * _gamma(k + 1, stages)
    return hours


def _by_count(lost: Losses, count: float, left: float) -> Iterator[tuple[float, float, float]]:
    """For 0, 1, 2, ... interruptions: their chance, what is left for outages in mean outages, and
    the chance that the outages last no longer.
    """
    weight, likely, k = math.exp(-count), 0.0, 0
    while likely < 1 - _UNLIKELY:
        room = left - k * lost.fixed_hours
        if room < -_EXACT_HOURS:
            return
        stages = max(0.0, room) / lost.outage_hours if lost.outage_hours > 0 else math.inf
        yield weight, stages, _gamma(k, stages)
        likely += weight
        k += 1
        weight *= count / k


def _gamma(shape: float, limit: float) -> float:
    """The chance that a gamma variable of `shape` and scale 1 is at most `limit`; exact for few
    stages of an Erlang variable.
    """
    if shape == 0 or limit > shape + 40 * math.sqrt(shape) + 40:
        return 1.0
    if shape > _MANY_STAGES or not isinstance(shape, int):
        root = (limit / shape) ** (1 / 3)
        deviations = (root - 1 + 1 / (9 * shape)) * 3 * math.sqrt(shape)
        return 0.5 * (1 + math.erf(deviations / math.sqrt(2)))
    term = total = 1.0
    for j in range(1, shape):
        term *= limit / j
        total += term
    return max(0.0, 1 - math.exp(-limit) * total)
