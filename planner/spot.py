"""Spot against on-demand: expected hours and dollars when a machine may be taken away.

Interruptions arrive at a constant rate (a Poisson process). Work since the last checkpoint is
lost; the machine is gone for an outage, during which nothing is billed; then the checkpoint is
loaded.
"""

import math
from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows

_HOUR_S = 3600.0
#: Interruptions expected within one segment beyond which e to their power stands for never.
_NEVER = 300.0
#: Beyond this many interruptions an hour nothing is ever finished.
_HIGHEST_RATE = 1e4


class SpotJob(NamedTuple):
    """A job as spot sees it; the price is USD per hour for everything rented."""

    hours: float
    spot_usd_per_hour: float
    outage_hours: float
    save_seconds: float
    load_seconds: float


class Rate(NamedTuple):
    """How often a provider interrupts and how long its outages last, with who says so."""

    interruptions_per_hour: float
    outage_hours: float
    is_assumed: bool
    source: str
    source_date: str


class Expected(NamedTuple):
    """Expected hours until the job is done, hours billed, and their cost."""

    hours: float
    billed_hours: float
    usd: float


@cache
def _rates() -> dict[str, Rate]:
    return {
        row["provider"]: Rate(
            interruptions_per_hour=float(row["interruptions_per_hour"]),
            outage_hours=float(row["outage_hours"]),
            is_assumed=row["basis"] == "assumed",
            source=row["source"],
            source_date=row["source_date"],
        )
        for row in read_rows("planner", "spot_rates.csv")
    }


def rate_of(provider: str) -> Rate:
    """The interruption rate known for `provider`, or the stated assumption."""
    known = _rates()
    return known.get(provider, known["*"])


def daly_interval_hours(save_seconds: float, interruptions_per_hour: float) -> float:
    """Hours of work between checkpoints that waste least time.

    Daly (2006): sqrt(2 d M) (1 + sqrt(d / 2M) / 3 + (d / 2M) / 9) - d for d < 2 M, else M, with d
    the time to save and M the mean time between interruptions. Infinite where nothing interrupts.
    """
    if interruptions_per_hour <= 0:
        return math.inf
    save = save_seconds / _HOUR_S
    mean = 1 / interruptions_per_hour
    if save >= 2 * mean:
        return mean
    ratio = save / (2 * mean)
    return math.sqrt(2 * save * mean) * (1 + math.sqrt(ratio) / 3 + ratio / 9) - save


def expected(job: SpotJob, interruptions_per_hour: float, interval_hours: float) -> Expected:
    """Expected time and cost on spot with a checkpoint every `interval_hours` of work.

    A segment of work and save, s = interval + save, succeeds with probability e^(-λs); until then
    each failure costs on average 1/λ - s/(e^(λs) - 1) of lost work, an outage and a load. Summed:
    e^(λ·load) (e^(λs) - 1) / λ billed hours a segment (Daly, 2006), and λ outages per billed hour.
    """
    if interruptions_per_hour <= 0:
        return Expected(job.hours, job.hours, job.hours * job.spot_usd_per_hour)
    rate = interruptions_per_hour
    interval = min(interval_hours, job.hours)
    segments = job.hours / interval
    segment = interval + job.save_seconds / _HOUR_S
    tries = math.expm1(min(rate * segment, _NEVER))
    loading = math.exp(min(rate * job.load_seconds / _HOUR_S, _NEVER))
    billed = segments * tries * loading / rate
    hours = billed * (1 + rate * job.outage_hours)
    return Expected(hours, billed, billed * job.spot_usd_per_hour)


def best_interval_hours(job: SpotJob, interruptions_per_hour: float) -> float:
    """Daly's interval, at most the whole job."""
    return min(job.hours, daly_interval_hours(job.save_seconds, interruptions_per_hour))


def break_even_rate(job: SpotJob, on_demand_usd: float) -> float | None:
    """Interruptions per hour at which spot costs as much as `on_demand_usd` for the whole run.

    None where spot costs more even undisturbed. Found by bisection: the expected cost grows with
    the rate.
    """
    if job.hours * job.spot_usd_per_hour >= on_demand_usd:
        return None

    def usd(rate: float) -> float:
        return expected(job, rate, best_interval_hours(job, rate)).usd

    low, high = 0.0, 1.0
    while usd(high) < on_demand_usd:
        low, high = high, high * 2
        if high > _HIGHEST_RATE:
            return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if usd(middle) < on_demand_usd else (low, middle)
    return low
