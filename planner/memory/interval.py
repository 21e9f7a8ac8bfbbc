"""The likely range around an estimate."""

from functools import cache

from planner.data_files import read_rows
from planner.memory.result import Evidence
from planner.memory.setup import Setup
from planner.query import Method

#: When data/intervals.csv and the profiles were last fitted to the measured runs: the estimator's
#: version.
CALIBRATED_ON = "2026-12-01"
#: Methods with measured runs on several stacks.
_MEASURED: frozenset[Method] = frozenset({"full", "lora", "qlora"})


@cache
def _factors() -> dict[tuple[str, str], tuple[float, float]]:
    return {
        (row["stack"], row["layout"]): (float(row["low"]), float(row["high"]))
        for row in read_rows("planner.memory", "intervals.csv")
    }


def evidence(setup: Setup) -> Evidence:
    """What backs the estimate: runs measured with its stack on as many GPUs, or formulas alone."""
    own = (setup.profile.stack, "several" if setup.gpus > 1 else "single")
    return "measured" if own in _factors() and setup.method in _MEASURED else "formula"


def around(device_bytes: float, standing_bytes: float, setup: Setup) -> tuple[float, float]:
    """Low and high bytes that hold the device figure of 90 % of runs.

    Factors come from the residuals of measured runs (data/intervals.csv): those of the stack on
    one or several GPUs where there are enough, else those of all stacks together. No run needs
    less than the `standing_bytes` of weights and states, which are counted, not fitted.
    """
    layout = "several" if setup.gpus > 1 else "single"
    factors = _factors()
    low, high = factors.get((setup.profile.stack, layout), factors["*", layout])
    return max(device_bytes * low, standing_bytes), device_bytes * high
