"""Fits, tight or does not fit: an estimate's range against what a card can really use."""

from planner.memory.result import MemoryEstimate
from planner.plan.result import Verdict


def verdict(estimate: MemoryEstimate, usable_gib: float) -> Verdict:
    """`fits` when even the high end is within `usable_gib`, `does_not_fit` when even the low end
    is not.
    """
    if estimate.high_gib <= usable_gib:
        return "fits"
    return "tight" if estimate.low_gib <= usable_gib else "does_not_fit"
