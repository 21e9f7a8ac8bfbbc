"""The likely range around an estimate, and what stands behind it."""

from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows
from planner.memory.activations import is_checked
from planner.memory.result import Evidence
from planner.memory.setup import Setup

#: When data/intervals.csv and the profiles were last fitted to the measured runs: the estimator's
#: version.
CALIBRATED_ON = "2026-12-01"


class _Interval(NamedTuple):
    """Measured / estimated memory of 90 % of runs, and the methods those runs trained with."""

    low: float
    high: float
    methods: tuple[str, ...]


class Needed(NamedTuple):
    """Bytes at the peak: live tensors, what the allocator holds beside them, what stands around
    PyTorch; `standing` are the weights and states among the live ones.
    """

    allocated: float
    slack: float
    context: float
    standing: float


@cache
def _intervals() -> dict[tuple[str, str], _Interval]:
    return {
        (row["stack"], row["layout"]): _Interval(
            float(row["low"]), float(row["high"]), tuple(row["methods"].split(";"))
        )
        for row in read_rows("planner.memory", "intervals.csv")
    }


@cache
def _vision_intervals() -> dict[tuple[str, str], _Interval]:
    return {
        (row["kind"], row["lengths"]): _Interval(float(row["low"]), float(row["high"]), ())
        for row in read_rows("planner.memory", "vision_intervals.csv")
    }


def _own(setup: Setup) -> _Interval | None:
    if setup.kind != "text":
        lengths = "equal" if setup.lengths_are_equal else "varying"
        return _vision_intervals()[setup.kind, lengths]
    found = _intervals().get((setup.profile.stack, setup.layout))
    return found if found and setup.method in found.methods else None


def evidence(setup: Setup) -> Evidence:
    """What backs the estimate.

    "measured": runs of its stack and method on as many GPUs (one or several); "oracle": PyTorch's
    own bookkeeping of that stack's model code on one GPU; else formulas alone. Diffusion blocks
    were all read off PyTorch; too few vision-language runs were measured to say more than formula.
    """
    if setup.kind == "diffusion":
        return "oracle" if setup.layout == "single" else "formula"
    if setup.kind == "vision":
        return "formula"
    if _own(setup) is not None:
        return "measured"
    return "oracle" if setup.layout == "single" and is_checked(setup) else "formula"


def around(needed: Needed, setup: Setup) -> tuple[float, float]:
    """Low and high bytes that hold the device figure of 90 % of runs.

    Factors come from the residuals of measured runs (data/intervals.csv): those of the stack where
    it has enough, when fitted without the run's model; else those of every stack when fitted
    without the run's source, for that is how much a stack nobody measured may differ. No run needs
    less than its weights and states, which are counted, not fitted; but one can do without the
    allocator's slack, which PyTorch gives back when a card is full: runs whose device figure on a
    larger card would be 94 GiB have been measured on 80 GB cards. Pictures have few runs, and
    factors of their own (data/vision_intervals.csv): where lengths vary, the longest is seldom met.
    """
    found = _own(setup) or _intervals()["*", setup.layout]
    device = needed.allocated + needed.slack + needed.context
    least = min(device * found.low, needed.allocated + needed.context)
    return max(least, needed.standing + needed.context), device * found.high
