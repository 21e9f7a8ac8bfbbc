"""The accuracy report: errors by source, stack, method, counter and size, and what the ranges
hold.
"""

from collections.abc import Callable

from planner.accuracy.left_out import LeftOut, left_out
from planner.accuracy.runs import MeasuredRun, measured_runs, vision_runs
from planner.accuracy.score import Scored, over_sources, score, summaries
from planner.base import Frozen
from planner.models.registry import resolve


class GroupError(Frozen):
    """Absolute errors of one group of runs, as fractions of what was measured; `bias` keeps its
    sign.
    """

    by: str
    name: str
    runs: int
    median: float
    p90: float
    worst: float
    bias: float


class CardVerdicts(Frozen):
    """What is said of the runs of one quality whose card is known: `oom_called_fits` ran out of
    memory although they were said to fit, `ran_called_too_big` ran although they were said not to.
    """

    quality: str
    oom_runs: int
    oom_called_fits: tuple[str, ...]
    ran_runs: int
    ran_called_too_big: tuple[str, ...]


class AccuracyReport(Frozen):
    """The product's own error on the quality-A measured runs it ships.

    `median` and `p90` are means over the sources with at least 5 scored runs. `inside_fraction` is
    the share of stated device figures within low..high. `left_out` holds the errors of fits that
    have not seen a run's model or source. `verdicts` also judges the runs of quality B. `vision`
    are the quality-A runs of vision-language and diffusion models, which count in no other figure.
    """

    runs: int
    median: float
    p90: float
    inside_fraction: float
    inside_runs: int
    verdicts: tuple[CardVerdicts, ...]
    groups: tuple[GroupError, ...]
    left_out: tuple[LeftOut, ...]
    vision: tuple[GroupError, ...]


def _size(run: MeasuredRun) -> str:
    billions = resolve(run.model).architecture.params_total / 1e9
    for limit in (2, 5, 10, 20, 50):
        if billions < limit:
            return f"under {limit}B"
    return "50B and more"


GROUPS: dict[str, Callable[[MeasuredRun], str]] = {
    "source": lambda run: run.group,
    "stack": lambda run: run.training.stack or "",
    "method": lambda run: run.training.method,
    "counter": lambda run: run.counter,
    "size": _size,
}


def accuracy() -> AccuracyReport:
    """The report over every quality-A run."""
    scored = score(run for run in measured_runs() if run.quality == "A")
    median, p90 = over_sources(scored)
    inside = [one.is_inside for one in scored if one.is_inside is not None]
    return AccuracyReport(
        runs=len(scored),
        median=median,
        p90=p90,
        inside_fraction=sum(inside) / len(inside),
        inside_runs=len(inside),
        verdicts=tuple(_card_verdicts(quality) for quality in ("A", "B")),
        groups=tuple(
            GroupError(by=by, **summary._asdict())
            for by, key in GROUPS.items()
            for summary in summaries(scored, key)
        ),
        left_out=left_out("left_out.csv"),
        vision=_vision_errors(),
    )


def _vision_errors() -> tuple[GroupError, ...]:
    scored = score(run for run in vision_runs() if run.quality == "A")
    by_kind: dict[str, Callable[[MeasuredRun], str]] = {
        "all": lambda run: "vision",
        "source": lambda run: run.group,
        "lengths": lambda run: "varying" if run.training.packing is False else "equal",
    }
    return tuple(
        GroupError(by=by, **summary._asdict())
        for by, key in by_kind.items()
        for summary in summaries(scored, key)
    )


def _card_verdicts(quality: str) -> CardVerdicts:
    scored = score(r for r in measured_runs() if r.quality == quality and r.gpu_memory_gb)
    oom = [one for one in scored if one.run.ran_out_of_memory]
    ran = [one for one in scored if not one.run.ran_out_of_memory]
    return CardVerdicts(
        quality=quality,
        oom_runs=len(oom),
        oom_called_fits=tuple(one.run.id for one in oom if _called_fits(one)),
        ran_runs=len(ran),
        ran_called_too_big=tuple(one.run.id for one in ran if _called_too_big(one)),
    )


def _called_fits(one: Scored) -> bool:
    """Whether the high end lies within what a card of that size is assumed to report."""
    usable = one.run.usable_gib
    return usable is not None and one.estimate.high_gib <= usable


def _called_too_big(one: Scored) -> bool:
    """Whether even the low end is more than what a card of that size is assumed to report."""
    usable = one.run.usable_gib
    return usable is not None and one.estimate.low_gib > usable
