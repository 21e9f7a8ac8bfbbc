"""Host memory per node: loading the model, and whatever is offloaded."""

from planner.memory import activations
from planner.memory.counts import Counts
from planner.memory.setup import Setup
from planner.memory.trained import Trained
from planner.memory.weights import weight_bytes
from planner.models.architecture import Architecture
from planner.units import GIB

#: Python, CUDA libraries and data loading of one process, and the page cache they like: assumed.
PROCESS_GIB = 4.0


def host_ram_gib(
    architecture: Architecture, counts: Counts, setup: Setup, learned: Trained
) -> float:
    """GiB of host RAM one node needs.

    Rank 0 reads the checkpoint in 16 bits before it is sharded or quantised (safetensors are
    mapped, so an unsharded load needs little more than its largest shard: taken as a tenth).
    Offload adds the weights, gradients and states that leave the GPU, activation offload what every
    GPU's micro-batch saves. Every GPU adds one process.
    """
    gpus_per_node = max(1, setup.gpus // setup.nodes)
    loads_whole = setup.sharding in ("fsdp", "zero3") and setup.gpus > 1
    loading = 2.0 * counts.total * (1.0 if loads_whole else 0.1)
    offloaded = 0.0
    if setup.offload:
        states = learned.weight_bytes + learned.state_bytes
        held = weight_bytes(counts, setup) if setup.sharding in ("fsdp", "zero3") else 0.0
        offloaded = (states + held) / setup.nodes
    offloaded += gpus_per_node * _activations(architecture, counts, setup)
    return PROCESS_GIB * gpus_per_node + max(loading, offloaded) / GIB


def _activations(architecture: Architecture, counts: Counts, setup: Setup) -> float:
    """Bytes of activations that one GPU sends to the host."""
    if not setup.activation_offload:
        return 0.0
    whole = setup._replace(activation_offload=False)
    kept = activations.saved_bytes(architecture, counts, setup)
    return activations.saved_bytes(architecture, counts, whole) - kept
