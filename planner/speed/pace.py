"""Seconds per step and tokens per second of a job on a card."""

from typing import Literal, NamedTuple

from planner.gpus.gpu import Gpu
from planner.memory.setup import Setup
from planner.speed.figures import Figures, card_share, error_range, figures, link_gb_per_s
from planner.speed.step import StepWork
from planner.units import GB

Bound = Literal["arithmetic", "memory", "kernels", "links", "host"]

#: How strictly the longest of what overlaps sets the pace: 1 is a sum, infinity the longest alone.
OVERLAP = 4
#: Bytes of kernels' traffic that torch.compile leaves: fused elementwise work.
COMPILED = 0.7
#: Measured / estimated speed of image models: 0.41 (LoRA) and 0.57 (full) of half an L40S's peak
#: for FLUX.2 klein, 750 and 300 steps of two pictures in 759 and 293 s
#: (huggingface/peft@5d602fdbff, image-gen benchmark). fp32 adapters, modulations and small kernels
#: cost time that counts no operations.
PICTURE_SHARE = 0.49 * 0.5


class Card(NamedTuple):
    """What a card offers one job: peak FLOP/s, bytes/s of its memory, of the link to the other
    GPUs of its machine, of the one to the host, and of the one to other machines (None: not used).
    """

    flops: float
    memory_bytes_s: float
    link_bytes_s: float
    host_bytes_s: float
    over_nvlink: bool
    nodes_bytes_s: float | None


class Speed(NamedTuple):
    """Tokens per second of the whole job, the range that holds nine of ten measured runs, where
    the time goes and what sets the pace, and whether nobody measured a card of that class.
    """

    tokens_per_s: float
    low: float
    high: float
    parts: "Parts"
    bound: Bound
    is_assumed: bool


def speed(
    asked: StepWork, setup: Setup, gpu: Gpu, interconnect: str, accumulation: int = 1
) -> Speed | None:
    """Tokens per second of `setup`, which asks for `asked`; None where the card's rates are
    unknown.
    """
    card = card_of(gpu, interconnect, setup)
    if card is None:
        return None
    share = card_share(gpu)
    if setup.kind == "diffusion":
        share = share._replace(share=PICTURE_SHARE)
    parts = parts_of(asked, setup, card, share.share, figures())
    pace = tokens_per_s(asked, parts, setup, accumulation)
    low, high = error_range(share.is_assumed or card.nodes_bytes_s is not None)
    return Speed(pace, pace * low, pace * high, parts, bound(parts), share.is_assumed)


class Parts(NamedTuple):
    """Seconds of a micro-batch by what they are spent on, before they overlap; `step` seconds come
    once per optimizer step, after them.
    """

    arithmetic: float
    memory: float
    kernels: float
    links: float
    host: float
    step: float

    @property
    def micro_batch(self) -> float:
        """Seconds of one micro-batch. Arithmetic and memory share the card; starting kernels and
        talking go on beside them, as far as one does not wait for the other.
        """
        on_card = self.arithmetic + self.memory
        away = self.links + self.host
        return float((on_card**OVERLAP + self.kernels**OVERLAP + away**OVERLAP) ** (1 / OVERLAP))


def parts_of(one: StepWork, setup: Setup, card: Card, gemm_share: float, known: Figures) -> Parts:
    """Where the time of `one` goes on `card`, whose matrix products reach `gemm_share` of its
    peak.
    """
    bandwidth = card.memory_bytes_s * known.memory_share
    link = card.link_bytes_s * (known.nvlink_share if card.over_nvlink else known.pcie_share)
    compiled = COMPILED if setup.torch_compile else 1.0
    if card.nodes_bytes_s is not None:
        link = min(link, card.nodes_bytes_s)
    moved = (
        one.elementwise_bytes * known.elementwise * compiled
        + one.logit_bytes
        + one.adapter_bytes * known.adapter
        + one.dequantised * known.dequantise_bytes
    )
    return Parts(
        arithmetic=one.linear_flops / (card.flops * gemm_share)
        + one.attention_flops / (card.flops * known.attention_share),
        memory=moved / bandwidth,
        kernels=known.batch_seconds
        + one.layer_passes * known.layer_seconds
        + one.adapter_passes * known.adapter_seconds
        + one.expert_passes * known.expert_seconds
        + one.sharded_passes * known.sharded_seconds,
        links=one.exchanged_bytes / link,
        host=one.offloaded_bytes / (card.host_bytes_s * known.offload_share),
        step=one.step_bytes / bandwidth + one.step_exchanged_bytes / link,
    )


def tokens_per_s(one: StepWork, parts: Parts, setup: Setup, accumulation: int = 1) -> float:
    """Tokens per second that all GPUs together train on."""
    seconds = accumulation * parts.micro_batch + parts.step
    return setup.workers * one.tokens * accumulation / seconds


def bound(parts: Parts) -> Bound:
    """What takes longest of what goes on at the same time."""
    if parts.links + parts.host > max(parts.arithmetic + parts.memory, parts.kernels):
        return "links" if parts.links >= parts.host else "host"
    if parts.kernels > parts.arithmetic + parts.memory:
        return "kernels"
    return "arithmetic" if parts.arithmetic >= parts.memory else "memory"


def card_of(gpu: Gpu, interconnect: str, setup: Setup) -> Card | None:
    """What `gpu` offers; None where its peak rate or bandwidth is unknown. All GPUs talk at once,
    so the slowest link of the job counts.
    """
    tflops = gpu.bf16_dense_tflops if gpu.supports_bf16 else gpu.fp16_dense_tflops
    if setup.compute_bytes == 4:
        tflops = gpu.fp32_tflops
    host = _host_gb_per_s(gpu)
    if not tflops or not gpu.bandwidth_gb_s:
        return None
    over_nvlink = interconnect.startswith("nvlink") and bool(gpu.nvlink_gb_s)
    inside = (gpu.nvlink_gb_s or 0.0) / 2 if over_nvlink else host
    between = link_gb_per_s("between-nodes") if setup.nodes > 1 else None
    return Card(
        flops=tflops * 1e12,
        memory_bytes_s=gpu.bandwidth_gb_s * GB,
        link_bytes_s=inside * GB,
        host_bytes_s=host * GB,
        over_nvlink=over_nvlink,
        nodes_bytes_s=None if between is None else between * GB,
    )


def _host_gb_per_s(gpu: Gpu) -> float:
    """One-way rate to the host; of the usual generation where the card's is not known."""
    own = link_gb_per_s(f"pcie-{gpu.pcie_generation:.0f}") if gpu.pcie_generation else None
    return own or link_gb_per_s("pcie-4") or 0.0
