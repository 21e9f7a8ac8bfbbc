"""What the memory estimator answers."""

from typing import Literal

from planner.base import Frozen
from planner.notes import Note

Phase = Literal["forward", "loss", "loss_backward", "backward", "optimizer_step"]
Evidence = Literal["measured", "oracle", "formula"]


class Breakdown(Frozen):
    """GiB that stand on the fullest GPU at the peak, by what they hold. Sums to the peak."""

    weights: float
    adapters: float
    gradients: float
    optimizer: float
    activations: float
    logits: float
    temporary: float
    context: float
    fragmentation: float

    def parts(self) -> tuple[tuple[str, float], ...]:
        """Every part with its name, in the order of the fields."""
        return tuple((name, float(getattr(self, name))) for name in type(self).model_fields)

    def total_gib(self) -> float:
        """The sum of all parts."""
        return sum(value for _, value in self.parts())


class MemoryEstimate(Frozen):
    """Memory per GPU (the fullest one), in GiB.

    `allocated_gib` is torch's max_memory_allocated, `reserved_gib` its max_memory_reserved and
    `device_gib` what nvidia-smi shows; `peak_gib` equals `device_gib`. `low_gib`..`high_gib` holds
    the device figure of 90 % of runs. `host_ram_gib` is per node.
    """

    peak_gib: float
    low_gib: float
    high_gib: float
    breakdown: Breakdown
    static_gib: float
    allocated_gib: float
    reserved_gib: float
    device_gib: float
    peak_phase: Phase
    host_ram_gib: float | None
    trainable_params: int
    total_params: int
    active_params: int
    evidence: Evidence
    assumptions: tuple[Note, ...] = ()
    warnings: tuple[Note, ...] = ()
