"""Errors against the measured runs, by source, stack, method, counter or size."""

from collections.abc import Callable, Iterable
from statistics import median
from typing import NamedTuple

from planner.accuracy.runs import MeasuredRun
from planner.memory.result import MemoryEstimate

Estimator = Callable[[MeasuredRun], MemoryEstimate]
#: Sources with fewer scored runs say too little about an error.
LEAST_RUNS = 5


class Scored(NamedTuple):
    """One run with its estimate. `error` is estimate / measured - 1, 0 inside what the figure
    stands for, None where the run ran out of memory. `is_inside` says whether low..high holds a
    stated device figure."""

    run: MeasuredRun
    estimate: MemoryEstimate
    error: float | None
    is_inside: bool | None


class Summary(NamedTuple):
    """Errors of one group of runs: absolute, as fractions."""

    name: str
    runs: int
    median: float
    p90: float
    worst: float
    bias: float


def score(
    runs: Iterable[MeasuredRun], estimator: Estimator = MeasuredRun.estimated
) -> list[Scored]:
    """Every run with its estimate and error. A run whose counter nobody stated is compared with
    the nearest.
    """
    return [_scored(run, estimator(run)) for run in runs]


def _scored(run: MeasuredRun, found: MemoryEstimate) -> Scored:
    inside = None
    if run.device_gib is not None:
        inside = found.low_gib <= run.device_gib <= found.high_gib
    middle = run.middle_gib
    if middle is None or run.ran_out_of_memory:
        return Scored(run, found, None, inside)
    counters = {
        "allocated": found.allocated_gib,
        "reserved": found.reserved_gib,
        "device": found.device_gib,
    }
    nearest = min(counters.values(), key=lambda one: abs(one - middle))
    said = counters.get(run.counter, nearest)
    low, high = run.low_gib or middle, run.high_gib or middle
    return Scored(run, found, 0.0 if low <= said <= high else said / middle - 1, inside)


def summaries(scored: Iterable[Scored], by: Callable[[MeasuredRun], str]) -> list[Summary]:
    """One summary per group that `by` names, in the order of their names."""
    groups: dict[str, list[float]] = {}
    for one in scored:
        if one.error is not None:
            groups.setdefault(by(one.run), []).append(one.error)
    return [_summary(name, errors) for name, errors in sorted(groups.items())]


def _summary(name: str, errors: list[float]) -> Summary:
    sizes = sorted(abs(error) for error in errors)
    return Summary(
        name=name,
        runs=len(sizes),
        median=median(sizes),
        p90=percentile(sizes, 0.9),
        worst=sizes[-1],
        bias=median(errors),
    )


def percentile(ordered: list[float], share: float) -> float:
    """The value below which `share` of an ordered list lies, between neighbours by proportion."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def over_sources(scored: Iterable[Scored]) -> tuple[float, float]:
    """The mean over sources of their median and of their 90th percentile; sources with few runs
    are left out.
    """
    counted = [s for s in summaries(scored, lambda run: run.group) if s.runs >= LEAST_RUNS]
    return (
        sum(one.median for one in counted) / len(counted),
        sum(one.p90 for one in counted) / len(counted),
    )
