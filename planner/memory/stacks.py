"""A training stack as a profile of defaults: data, never a branch in a formula."""

from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows
from planner.memory.result import Evidence
from planner.query import Attention, Checkpointing, Loss, Optimizer, Precision, Stack


class StackProfile(NamedTuple):
    """What a stack does unless told otherwise.

    `logits_held` says whether the caller keeps the model's outputs through the backward;
    `zero_buffers_gib` is what DeepSpeed's buckets take under ZeRO.
    """

    stack: Stack
    full_precision: Precision
    adapter_precision: Precision
    kbit_preparation: bool
    optimizer: Optimizer
    loss: Loss
    attention: Attention
    checkpointing: Checkpointing
    logits_held: bool
    zero_buffers_gib: float
    evidence: Evidence
    source: str


@cache
def _profiles() -> dict[str, StackProfile]:
    flags = {"kbit_preparation", "logits_held"}
    found = {}
    for row in read_rows("planner.memory", "stacks.csv"):
        fields: dict[str, object] = {
            key: value == "y" if key in flags else value for key, value in row.items()
        }
        fields["zero_buffers_gib"] = float(row["zero_buffers_gib"])
        found[row["stack"]] = StackProfile(**fields)  # type: ignore[arg-type]  # checked by a test
    return found


def profile(stack: Stack) -> StackProfile:
    """The profile of `stack`."""
    return _profiles()[stack]
