"""Memory around the tensors: the CUDA context, communication buffers and the allocator's slack."""

from planner.memory.setup import LOSSES_THAT_KEEP_LOGITS, Setup
from planner.units import GIB


def context_bytes(setup: Setup) -> float:
    """What nvidia-smi shows beyond PyTorch's reserved memory."""
    return setup.overheads.context_gib * GIB


def slack_bytes(allocated_bytes: float, logits: float, setup: Setup) -> float:
    """Reserved minus allocated: what PyTorch's caching allocator holds beyond live tensors.

    A share of what is allocated, and some bytes for each of the `logits` (tokens x vocabulary of
    a micro-batch) that come and go. Batches of varying lengths leave more of those blocks unused.
    """
    found = setup.overheads
    share = allocated_bytes * (found.reserved_ratio - 1)
    if setup.loss not in LOSSES_THAT_KEEP_LOGITS:
        return share
    if setup.lengths_are_equal:
        return share + found.bytes_per_logit * logits
    return share + found.varying_bytes_per_logit * logits
