"""How fast a fine-tune runs: arithmetic per token against what a card delivers and its links carry.

First version: efficiencies are medians or stated assumptions (data/efficiency.csv), not yet fitted
per stack.
"""

from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows
from planner.gpus.gpu import Gpu
from planner.memory.counts import Counts
from planner.memory.setup import Setup
from planner.models.architecture import Architecture
from planner.units import GB

#: Tokens in a micro-batch at which a card reaches half of its usual efficiency: assumed.
HALF_EFFICIENT_TOKENS = 256
#: Measured / predicted speed of image models: 0.41 (LoRA) and 0.57 (full) for FLUX.2 klein on an
#: L40S, 750 and 300 steps of two pictures in 759 and 293 s (huggingface/peft@5d602fdbff, image-gen
#: benchmark). fp32 adapters, modulations and small kernels cost time that counts no operations.
PICTURE_SHARE = 0.49


class Speed(NamedTuple):
    """Tokens per second of the whole job, and whether links rather than arithmetic set it."""

    tokens_per_s: float
    bound_by_links: bool
    efficiency_is_assumed: bool


@cache
def _efficiencies() -> dict[str, tuple[float, bool]]:
    return {
        row["generation"]: (float(row["model_flops_utilisation"]), row["basis"] == "assumed")
        for row in read_rows("planner", "efficiency.csv")
    }


@cache
def _links() -> dict[str, float]:
    return {
        row["link"]: float(row["gb_per_s_per_gpu"]) for row in read_rows("planner", "links.csv")
    }


def flops_per_token(architecture: Architecture, counts: Counts, setup: Setup) -> float:
    """Floating-point operations one trained token costs.

    2 per active parameter forward, 2 for the gradients of activations, 2 for those of weights
    (only what is trained: a frozen base skips them), 2 more where the forward is recomputed.
    Attention adds per pass 2 x length x query width x layers (causal: half of the full square).
    Kaplan et al., 2020, appendix B.
    """
    passes = 1 + 1 + (0 if setup.base_is_frozen else 1) + (setup.checkpointing == "full")
    window = architecture.sliding_window or setup.seq_len
    length = min(setup.seq_len, window)
    attention = 2.0 * length * counts.query_width * counts.layers
    return passes * (2.0 * counts.active + attention)


def speed(
    architecture: Architecture, counts: Counts, setup: Setup, gpu: Gpu, interconnect: str
) -> Speed | None:
    """Tokens per second of `setup` on its GPUs; None where the card's rate is unknown.

    The slower of arithmetic and exchange sets the pace: they overlap. A naive device map keeps one
    GPU busy at a time.
    """
    tflops = gpu.bf16_dense_tflops if gpu.supports_bf16 else gpu.fp16_dense_tflops
    if not tflops:
        return None
    efficiencies = _efficiencies()
    share, assumed = efficiencies.get(gpu.architecture, efficiencies["*"])
    filled = setup.tokens / (setup.tokens + HALF_EFFICIENT_TOKENS)
    if setup.kind == "diffusion":
        share *= PICTURE_SHARE
    per_token = flops_per_token(architecture, counts, setup)
    compute_s = setup.tokens * per_token / (tflops * 1e12 * share * filled)
    exchange_s = _exchanged_bytes(counts, setup) / (_link_gb_per_s(setup, gpu, interconnect) * GB)
    step_s = max(compute_s, exchange_s)
    return Speed(
        tokens_per_s=setup.workers * setup.tokens / step_s,
        bound_by_links=exchange_s > compute_s,
        efficiency_is_assumed=assumed,
    )


def _exchanged_bytes(counts: Counts, setup: Setup) -> float:
    """Bytes each GPU sends per micro-batch: whole weights twice and gradients once when fully
    sharded; otherwise gradients once per step, which for adapters is next to nothing."""
    n = setup.gpus
    if n == 1 or setup.sharding == "device_map":
        return 0.0
    width = 0.55 if setup.base_dtype == "nf4" else float(setup.compute_bytes)
    gradients = 0.0 if setup.base_is_frozen else counts.total * 2.0
    share = (n - 1) / n
    if setup.sharding in ("fsdp", "zero3"):
        return share * (2 * counts.total * width + gradients)
    return share * 2 * gradients


def _link_gb_per_s(setup: Setup, gpu: Gpu, interconnect: str) -> float:
    """GB/s one GPU can send while all talk: the slowest link of the job."""
    links = _links()
    if interconnect.startswith("nvlink") and gpu.nvlink_gb_s:
        inside = gpu.nvlink_gb_s / 2 * links["nvlink-share"]
    else:
        inside = links.get(f"pcie-{gpu.pcie_generation or 4:.0f}", links["pcie-4"])
    return min(inside, links["between-nodes"]) if setup.nodes > 1 else inside
