"""Memory around the tensors: the CUDA context, communication buffers and the allocator's slack."""

from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows
from planner.memory.setup import LOSSES_THAT_KEEP_LOGITS, Setup
from planner.units import GIB


class Overheads(NamedTuple):
    """What stands around the tensors of one stack on one or several GPUs.

    context_gib       what nvidia-smi shows beyond PyTorch's reserved memory: CUDA context,
                      libraries, NCCL between GPUs
    reserved_ratio    reserved / allocated memory, beside what logits leave
    bytes_per_logit   reserved and unused, per logit of a micro-batch that comes and goes
    varying_bytes_per_logit    the same where the lengths of batches vary
    """

    context_gib: float
    reserved_ratio: float
    bytes_per_logit: float
    varying_bytes_per_logit: float


@cache
def _table() -> dict[tuple[str, str], Overheads]:
    return {
        (row["stack"], row["layout"]): Overheads(*(float(row[name]) for name in Overheads._fields))
        for row in read_rows("planner.memory", "overheads.csv")
    }


def layout(setup: Setup) -> str:
    """Whether GPUs talk to each other: "several" if so; a naive device map only passes layers'
    outputs on.
    """
    return "several" if setup.gpus > 1 and setup.sharding != "device_map" else "single"


def overheads(setup: Setup) -> Overheads:
    """The figures of the stack where its runs tell them, else of all stacks together."""
    table, kind = _table(), layout(setup)
    return table.get((setup.profile.stack, kind)) or table["*", kind]


def context_bytes(found: Overheads) -> float:
    """What nvidia-smi shows beyond PyTorch's reserved memory."""
    return found.context_gib * GIB


def slack_bytes(found: Overheads, allocated_bytes: float, logits: float, setup: Setup) -> float:
    """Reserved minus allocated: what PyTorch's caching allocator holds beyond live tensors.

    A share of what is allocated, and some bytes for each of the `logits` (tokens x vocabulary of
    a micro-batch) that come and go. Batches of varying lengths leave more of those blocks unused.
    """
    share = allocated_bytes * (found.reserved_ratio - 1)
    if setup.loss not in LOSSES_THAT_KEEP_LOGITS:
        return share
    if setup.lengths_are_equal:
        return share + found.bytes_per_logit * logits
    return share + found.varying_bytes_per_logit * logits
