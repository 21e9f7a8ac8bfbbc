"""Short-lived tensors of a quantised base."""

from planner.memory.counts import Counts
from planner.memory.setup import Setup


def dequantised_bytes(counts: Counts, setup: Setup) -> float:
    """The largest linear layer as a 16-bit temporary: quantised weights are expanded one layer at
    a time.
    """
    return 2.0 * counts.largest_linear if setup.base_is_quantised else 0.0
