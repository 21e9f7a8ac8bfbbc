"""Memory around the tensors: the CUDA context, communication buffers and the allocator's slack."""

from functools import cache

from planner.data_files import read_rows
from planner.memory.setup import LOSSES_THAT_KEEP_LOGITS, Setup
from planner.units import GIB


@cache
def _table() -> dict[str, float]:
    return {
        row["name"]: float(row["value"]) for row in read_rows("planner.memory", "overheads.csv")
    }


def overhead(name: str) -> float:
    """A figure of data/overheads.csv."""
    return _table()[name]


def context_bytes(setup: Setup) -> float:
    """What nvidia-smi shows beyond PyTorch's reserved memory: CUDA context, libraries, NCCL
    between GPUs.
    """
    talking = overhead("communication") if setup.gpus > 1 and setup.sharding != "device_map" else 0
    return (overhead("cuda_context") + talking) * GIB


def fragmentation_bytes(allocated_bytes: float, logits: float, setup: Setup) -> float:
    """Reserved minus allocated: what PyTorch's caching allocator holds beyond live tensors.

    A share of what is allocated, and some bytes for each of the `logits` (tokens x vocabulary of
    a micro-batch) that come and go. Batches of varying lengths leave more of those blocks unused:
    the stack's figure.
    """
    layout = "several" if setup.gpus > 1 else "single"
    share = allocated_bytes * (overhead(f"reserved_{layout}") - 1)
    if setup.loss not in LOSSES_THAT_KEEP_LOGITS:
        return share
    per_logit = overhead(f"logit_slack_{layout}")
    if not setup.lengths_are_equal and setup.profile.allocator_bytes_per_logit is not None:
        per_logit = setup.profile.allocator_bytes_per_logit
    return share + per_logit * logits
