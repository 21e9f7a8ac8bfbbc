"""How the errors grow for models and sources that the fit has not seen."""

from typing import Literal, get_args

from planner.base import Frozen
from planner.data_files import read_rows

Kind = Literal["in_sample", "model_left_out", "source_left_out"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class LeftOut(Frozen):
    """Errors of one source ("" for the mean over sources), as fractions, when no run was left out
    of the fit, or those of its model or of its source were.
    """

    kind: Kind
    source: str
    runs: int
    median: float
    p90: float


def left_out(file_name: str) -> tuple[LeftOut, ...]:
    """What a fit found: data/left_out.csv of memory (bench/fit_stacks.py), data/speed_left_out.csv
    of speed (bench/fit_speed.py).
    """
    rows = read_rows("planner.accuracy", file_name)
    return tuple(LeftOut.model_validate(row) for row in rows)
