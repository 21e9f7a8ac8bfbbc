"""How many ways each kind of state is split over the GPUs, and what gathering it back costs."""

from typing import NamedTuple

from planner.memory.counts import Counts
from planner.memory.setup import Setup
from planner.memory.weights import weight_bytes
from planner.units import GIB

#: Layers that a fully sharded run holds whole at once: the one computed, and its gradient or the
#: one prefetched.
GATHERED_LAYERS = 2


class Shares(NamedTuple):
    """Divisors per kind of state: 1 where every GPU holds all of it."""

    weights: int
    gradients: int
    optimizer: int


def shares(setup: Setup) -> Shares:
    """The divisors of a sharding: ZeRO-1 splits the optimizer, ZeRO-2 gradients too, ZeRO-3 and
    FSDP everything (Rajbhandari et al., 2020). A naive device map splits whole layers."""
    n = setup.gpus
    splits = {
        "zero1": Shares(1, 1, n),
        "zero2": Shares(1, n, n),
        "zero3": Shares(n, n, n),
        "fsdp": Shares(n, n, n),
        "device_map": Shares(n, n, n),
    }
    return splits.get(setup.sharding, Shares(1, 1, 1))


class Gathered(NamedTuple):
    """Bytes of whole parameters beside the shard: the root unit through the step, and layers while
    they compute.
    """

    root: float
    layers: float


def gathered(counts: Counts, setup: Setup) -> Gathered:
    """Whole parameters that a sharded run keeps beside its shard while it computes.

    ZeRO-3 and FSDP hold two whole layers (one and its gradient, or one and the next; of a frozen
    base as many as the stack's figure says) and the root unit (embeddings and head) in the
    compute dtype, a quantised layer in its quantised width.
    """
    if setup.sharding not in ("zero3", "fsdp") or setup.gpus == 1:
        return Gathered(0.0, 0.0)
    width: float = setup.compute_bytes
    if setup.base_is_quantised:
        outside = (counts.total - counts.linear) * (4 if setup.kbit_preparation else 2)
        width = (weight_bytes(counts, setup) - outside) / max(1, counts.linear)
    frozen = setup.profile.frozen_gathered_layers
    layers = frozen if setup.base_is_frozen else GATHERED_LAYERS
    return Gathered(
        root=float((counts.embedding + counts.head) * setup.compute_bytes),
        layers=layers * counts.largest_layer * width,
    )


def communication_bytes(setup: Setup, gradients: float) -> float:
    """Buffers through which GPUs exchange `gradients` (bytes) and parameters.

    DDP keeps gradient buckets of the size of all gradients; DeepSpeed's ZeRO keeps fixed buckets
    (the stack's figure), at most as large as the gradients it exchanges.
    """
    if setup.gpus == 1:
        return 0.0
    if setup.sharding == "ddp":
        return gradients
    if setup.sharding in ("zero1", "zero2", "zero3"):
        return min(setup.profile.zero_buffers_gib * GIB, 2 * gradients)
    return 0.0


def frozen_shard_extra_bytes(counts: Counts, setup: Setup, hidden: int) -> float:
    """What FSDP adds per token when the base is frozen: 2 x (layers - 2) x hidden bytes in the
    backward.

    Found on the hf-trl rows measured under FSDP1 with LoRA and QLoRA; full fine-tuning does not
    show it, nor do the litgpt rows (the stack's figure).
    """
    if setup.sharding != "fsdp" or setup.gpus == 1 or not setup.base_is_frozen:
        return 0.0
    per_layer = setup.profile.frozen_shard_bytes * hidden * setup.tokens
    return max(0, counts.layers - 2) * per_layer


def unsharded_gradient_bytes(counts: Counts, setup: Setup) -> float:
    """Gradients that micro-batches add up to on every GPU before FSDP shards them; 0 where it
    shards each.

    A unit (a layer; embeddings and head) is one flat tensor: its gradient covers frozen parameters
    too, once any of them is trained. Adapters train the layers' units alone.
    """
    accumulates = setup.accumulates and setup.profile.unsharded_accumulation
    if setup.sharding != "fsdp" or setup.gpus == 1 or not accumulates:
        return 0.0
    outside = counts.embedding + counts.head if setup.base_is_frozen else 0
    return float(setup.trained_bytes) * (counts.total - outside)


def joined_gradient_bytes(counts: Counts, setup: Setup) -> float:
    """The newest unit's gradient beside those added up: its pieces and the flat one they are joined
    into."""
    if not unsharded_gradient_bytes(counts, setup):
        return 0.0
    root = 0 if setup.base_is_frozen else counts.embedding + counts.head
    return 2.0 * setup.trained_bytes * max(counts.largest_layer, root)
