"""The likely range around an estimate."""

from functools import cache
from typing import cast

from planner.data_files import read_rows
from planner.memory.result import Evidence
from planner.memory.setup import Setup

#: When data/intervals.csv and the profiles were last fitted to the measured runs: the estimator's
#: version.
CALIBRATED_ON = "2026-12-01"


@cache
def _factors() -> dict[tuple[str, str], tuple[float, float]]:
    return {
        (row["stack"], row["layout"]): (float(row["low"]), float(row["high"]))
        for row in read_rows("planner.memory", "intervals.csv")
    }


@cache
def _evidence() -> dict[tuple[str, ...], Evidence]:
    keys = ("stack", "model_code", "layout", "method", "base")
    return {
        tuple(row[key] for key in keys): cast(Evidence, row["evidence"])
        for row in read_rows("planner.memory", "evidence.csv")
    }


def evidence(setup: Setup) -> Evidence:
    """What backs the estimate (data/evidence.csv): runs measured with its stack, method and kind of
    base on as many GPUs; else its model code run on fake tensors; else formulas alone.
    """
    layout = "several" if setup.gpus > 1 else "single"
    base = setup.base_dtype if setup.base_is_quantised else "plain"
    method = "qlora" if setup.method == "lora" and setup.base_is_quantised else setup.method
    what, known = (layout, method, base), _evidence()
    measured = known.get((setup.profile.stack, "*", *what))
    return measured or known.get(("*", setup.profile.model_code, *what), "formula")


def around(device_bytes: float, standing_bytes: float, setup: Setup) -> tuple[float, float]:
    """Low and high bytes that hold the device figure of 90 % of runs.

    Factors come from the residuals of measured runs (data/intervals.csv): those of the stack on
    one or several GPUs where there are enough and they back this kind of job, else those of all
    stacks together. No run needs less than the `standing_bytes` of weights and states, which are
    counted, not fitted.
    """
    layout = "several" if setup.gpus > 1 else "single"
    factors = _factors()
    own = (setup.profile.stack, layout)
    known = own in factors and evidence(setup) == "measured"
    low, high = factors[own if known else ("*", layout)]
    return max(device_bytes * low, standing_bytes), device_bytes * high
