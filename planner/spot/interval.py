"""How many hours of work to do between two checkpoints."""

import math

from planner.spot.job import SpotJob

#: Nobody saves more often than once a minute, however quick saving is.
SHORTEST_INTERVAL_HOURS = 1 / 60


def daly_interval_hours(save_seconds: float, interruptions_per_hour: float) -> float:
    """Hours of work between checkpoints that waste least time.

    Daly (2006): sqrt(2 d M) (1 + sqrt(d / 2M) / 3 + (d / 2M) / 9) - d for d < 2 M, else M, with d
    the time to save and M the mean time between interruptions. Infinite where nothing interrupts.
    """
    if interruptions_per_hour <= 0:
        return math.inf
    save = save_seconds / 3600
    mean = 1 / interruptions_per_hour
    if save >= 2 * mean:
        return mean
    ratio = save / (2 * mean)
    return math.sqrt(2 * save * mean) * (1 + math.sqrt(ratio) / 3 + ratio / 9) - save


def best_interval_hours(job: SpotJob) -> float:
    """Daly's interval, at least a minute and at most the whole job.

    A notice changes nothing here: it is given where it can be, so regular saves stay as a guard.
    """
    daly = daly_interval_hours(job.save_seconds, job.interruptions_per_hour)
    return min(job.hours, max(daly, SHORTEST_INTERVAL_HOURS))
