"""What one micro-batch costs one GPU: operations, bytes moved, kernels started, bytes exchanged.

Counts from the papers and the code of the stacks; what a card makes of them is in pace.py.
"""

from math import log2
from typing import NamedTuple

from planner.memory.counts import Counts
from planner.memory.setup import Setup
from planner.memory.trained import trained
from planner.models.architecture import Architecture
from planner.models.lora import adapted_linears
from planner.query import Loss

#: Bytes moved per logit by head and loss, forward and backward: fp32 copies and a softmax each
#: read and written (standard), one kernel over 16-bit logits, pieces of either, or no logits.
LOGIT_BYTES: dict[Loss, int] = {
    "standard": 14,
    "fast_ce": 8,
    "chunked_ce": 8,
    "chunked_output": 6,
    "chunked_linear": 4,
    "fused_linear": 2,
}
#: A micro-batch of samples drawn at random grows by this share of their mean length with each
#: doubling: 291, 289 and 287 tokens a sample take 369, 445 and 524 in micro-batches of 2, 4 and 8
#: (Alpaca and Orca; foundation-model-stack/fms-acceleration benchmarks, fms-410 to fms-417).
PADDING = 0.275
#: A backward pass starts half as many kernels again as a forward: two for each linear map, one
#: where its weights are frozen.
BACKWARD_LAUNCHES = 1.5
#: FlashAttention's backward does 5 products for the forward's 2 (Dao, 2022).
ATTENTION_BACKWARD = 2.0
#: Bytes per parameter and optimizer step beside the states: weight, gradient, weight again.
WEIGHT_TRIPS = 3


class StepWork(NamedTuple):
    """One micro-batch on one GPU, and what each optimizer step adds.

    `tokens` are those trained on, padding not counted. `linear_flops` and `attention_flops` are
    operations; `elementwise_bytes`, `logit_bytes` and `adapter_bytes` pass through the card's
    memory; `dequantised` counts weights unpacked; `layer_passes`, `adapter_passes`,
    `expert_passes` and `sharded_passes` count how often a layer, an adapted linear, an expert, a
    layer whose weights come over a link is run; `exchanged_bytes` leave over the links between
    GPUs, `offloaded_bytes` over the one to the host. `step_bytes` (memory) and
    `step_exchanged_bytes` (links) come once per optimizer step.
    """

    tokens: int
    linear_flops: float
    attention_flops: float
    elementwise_bytes: float
    logit_bytes: float
    adapter_bytes: float
    dequantised: float
    layer_passes: float
    adapter_passes: float
    expert_passes: float
    sharded_passes: float
    exchanged_bytes: float
    offloaded_bytes: float
    step_bytes: float
    step_exchanged_bytes: float


def step_work(
    architecture: Architecture, counts: Counts, setup: Setup, sample_tokens: int | None = None
) -> StepWork:
    """What `setup` asks of each GPU for one micro-batch.

    `sample_tokens` is the mean length of samples that are not packed: each micro-batch is padded to
    its longest. A forward runs once more where everything is recomputed; the backward costs two
    forwards, one where the base is frozen (no gradients of its weights). Per token and pass: 2
    operations for each active parameter (Kaplan et al., 2020, appendix B); attention 2 x length x
    query width x layers (causal: half of the square). Each layer reads and writes its hidden state
    8 times, what passes through the MLP 4 times, queries, keys and values 4 times, 2 bytes each.
    """
    trained_tokens = setup.tokens
    if sample_tokens is not None and not setup.lengths_are_equal:
        setup = setup._replace(seq_len=min(setup.seq_len, padded_tokens(sample_tokens, setup)))
        trained_tokens = min(setup.tokens, sample_tokens * setup.micro_batch)
    forwards = 1 + (setup.checkpointing == "full")
    passes = forwards + BACKWARD_LAUNCHES
    tokens, sharded = setup.tokens, setup.sharding in ("fsdp", "zero3")
    found = trained(architecture, counts, setup)
    adapted_width, adapted = _adapted(architecture, setup)
    elements = counts.layers * (
        8 * (architecture.hidden or 0)
        + 4 * counts.mlp_width
        + 4 * (counts.query_width + counts.key_value_width)
    )
    adapter_width = 2 if setup.precision == "bf16" else 4
    return StepWork(
        tokens=trained_tokens,
        linear_flops=linear_flops(counts, setup),
        attention_flops=attention_flops(architecture, counts, setup),
        elementwise_bytes=2.0 * elements * passes * tokens,
        logit_bytes=float((architecture.vocab or 0) * LOGIT_BYTES[setup.loss] * tokens),
        adapter_bytes=float(adapted_width * adapter_width * (forwards + 2) * tokens),
        dequantised=float(counts.linear * (forwards + 1)) if setup.base_is_quantised else 0.0,
        layer_passes=counts.layers * passes,
        adapter_passes=adapted * passes,
        expert_passes=counts.layers * (architecture.n_experts or 0) * passes,
        sharded_passes=counts.layers * passes if sharded and setup.gpus > 1 else 0.0,
        exchanged_bytes=_gathered_bytes(counts, setup) if sharded else 0.0,
        offloaded_bytes=_offloaded_bytes(counts, setup),
        step_bytes=(WEIGHT_TRIPS * found.weight_bytes + 2 * found.state_bytes)
        / (setup.gpus if sharded else 1),
        step_exchanged_bytes=0.0 if sharded else _copies_bytes(setup, found.weight_bytes),
    )


def padded_tokens(sample_tokens: int, setup: Setup) -> int:
    """Tokens that a sample takes in a micro-batch padded to its longest sample."""
    return round(sample_tokens * (1 + PADDING * log2(setup.micro_batch)))


def linear_flops(counts: Counts, setup: Setup) -> float:
    """Operations in linear maps and head: 2 per active parameter, token and pass. The head's
    backward needs gradients of its weights where they are trained.
    """
    forwards = 1 + (setup.checkpointing == "full")
    weights = not setup.base_is_frozen
    inner = counts.active - counts.head - counts.embedding
    head_passes = 2 + (weights or setup.train_embeddings)
    return 2.0 * setup.tokens * (inner * (forwards + 1 + weights) + counts.head * head_passes)


def attention_flops(architecture: Architecture, counts: Counts, setup: Setup) -> float:
    """Operations in attention: causal, over no more than a sliding window."""
    forwards = 1 + (setup.checkpointing == "full")
    length = min(setup.seq_len, architecture.sliding_window or setup.seq_len)
    once = 2.0 * length * counts.query_width * counts.layers
    return once * (forwards + ATTENTION_BACKWARD) * setup.tokens


def _adapted(architecture: Architecture, setup: Setup) -> tuple[int, int]:
    """Input and output widths of all adapted linears together, and how many there are; those of
    image models are in their measured share.
    """
    if setup.method not in ("lora", "qlora", "dora") or setup.kind == "diffusion":
        return 0, 0
    linears = adapted_linears(architecture, setup.lora_targets)
    width = sum((one.in_features + one.out_features) * one.count for one in linears)
    return width, sum(one.count for one in linears)


def _gathered_bytes(counts: Counts, setup: Setup) -> float:
    """What fully sharded training sends: all weights for forward and for backward, and the
    gradients of those trained.
    """
    gradients = 0.0 if setup.base_is_frozen else 2.0 * counts.total
    share = (setup.gpus - 1) / setup.gpus
    return share * (2 * counts.total * _weight_bytes(setup) + gradients)


def _copies_bytes(setup: Setup, weight_bytes: float) -> float:
    """What copies of the model send once a step: the gradients, summed and given back."""
    if setup.gpus == 1 or setup.sharding == "device_map":
        return 0.0
    return 2 * (setup.gpus - 1) / setup.gpus * weight_bytes


def _offloaded_bytes(counts: Counts, setup: Setup) -> float:
    """What CPU offload moves: every weight to the card for forward and for backward, gradients
    back; a GPU's own share of them where they are sharded.
    """
    if not setup.offload:
        return 0.0
    gradients = 0.0 if setup.base_is_frozen else 2.0 * counts.total
    return 2 * counts.total * _weight_bytes(setup) + gradients


def _weight_bytes(setup: Setup) -> float:
    four_bits = setup.base_dtype in ("nf4", "gptq-int4", "mxfp4")
    return 0.55 if four_bits else float(setup.compute_bytes)
