"""What a model's own checkpoint is stored in, where that is not 16 or 32 bits."""

from functools import cache
from typing import cast

from planner.data_files import read_rows
from planner.models.architecture import Architecture
from planner.query import BaseDtype


@cache
def _prefixes() -> dict[str, BaseDtype]:
    rows = read_rows("planner.models", "native_weights.csv")
    return {row["id_prefix"]: cast(BaseDtype, row["base_dtype"]) for row in rows}


def native_base_dtype(architecture: Architecture) -> BaseDtype | None:
    """The quantised type of the published weights (data/native_weights.csv), None for plain
    ones.
    """
    found = (dtype for name, dtype in _prefixes().items() if architecture.hf_id.startswith(name))
    return next(found, None)
