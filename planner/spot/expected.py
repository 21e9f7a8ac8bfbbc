"""Expected hours and dollars of a run that stays on spot until it is done."""

import math
from typing import NamedTuple

from planner.spot.job import SpotJob

#: Interruptions expected within one segment beyond which e to their power stands for never.
_NEVER = 300.0


class Expected(NamedTuple):
    """Expected hours until the job is done, hours billed, interruptions, and the cost.

    `up_hours` are those that an undisturbed run with its saves takes.
    """

    hours: float
    billed_hours: float
    interruptions: float
    up_hours: float
    usd: float


def expected(job: SpotJob, interval_hours: float) -> Expected:
    """Expected time and cost on spot with a checkpoint every `interval_hours` of work.

    Interruptions are a Poisson process of rate λ while the machine runs. A segment of work and
    save, s = interval + save, succeeds with probability e^(-λs); until then each failure costs on
    average 1/λ - s/(e^(λs) - 1) of lost work, an outage and a load. Summed: e^(λ·load) (e^(λs) - 1)
    / λ billed hours a segment (Daly, 2006), and λ outages per billed hour.

    With a notice long enough to save on, no work is lost: of the up hours each λ-th ends in a save
    and in loads until one succeeds, (e^(λ·load) - 1) / λ billed hours and e^(λ·load) outages.
    """
    rate = job.interruptions_per_hour
    if rate <= 0:
        return Expected(job.hours, job.hours, 0.0, job.hours, job.hours * job.spot_usd_per_hour)
    interval = min(interval_hours, job.hours)
    segments = job.hours / interval
    segment = interval + job.save_hours
    up_hours = segments * segment
    loading = math.exp(min(rate * job.load_hours, _NEVER))
    if job.saves_on_notice:
        billed = up_hours * (loading + rate * job.save_hours)
        interruptions = up_hours * rate * loading
    else:
        billed = segments * math.expm1(min(rate * segment, _NEVER)) * loading / rate
        interruptions = billed * rate
    hours = billed + interruptions * job.outage_hours
    return Expected(hours, billed, interruptions, up_hours, billed * job.spot_usd_per_hour)
