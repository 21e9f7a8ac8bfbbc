"""One GPU SKU: its memory, speed and what its generation can compute."""

from planner.base import Frozen

#: Share of the marketed memory that a driver is assumed to report where nobody has read it.
ASSUMED_USABLE_SHARE = 0.955


class Gpu(Frozen):
    """A SKU as rented: form factor and memory are part of its identity. None is unknown.

    Bandwidth in GB/s, rates in dense TFLOPS (no sparsity), `nvlink_gb_s` is the total over both
    directions. `memory_gib_reported` is what the driver reports, `memory_gb_marketed` what the
    data sheet says.
    """

    name: str
    aliases: tuple[str, ...]
    vendor: str
    memory_gib_reported: float | None
    memory_gb_marketed: float
    bandwidth_gb_s: float | None
    bf16_dense_tflops: float | None
    fp16_dense_tflops: float | None
    fp32_tflops: float | None
    architecture: str
    compute_capability: str
    supports_bf16: bool
    has_nvlink: bool
    nvlink_gb_s: float | None
    pcie_generation: float | None
    kind: str
    source: str
    confidence: str
    remark: str | None = None

    @property
    def usable_gib(self) -> float:
        """GiB a job can use: what the driver reports, else the marketed figure x 0.955."""
        if self.memory_gib_reported is not None:
            return self.memory_gib_reported
        return self.memory_gb_marketed * ASSUMED_USABLE_SHARE

    @property
    def usable_is_assumed(self) -> bool:
        """Whether `usable_gib` is an assumption and the card must say so."""
        return self.memory_gib_reported is None
