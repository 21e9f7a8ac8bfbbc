"""Host memory per node: loading the model, and whatever is offloaded."""

from planner.memory.counts import Counts
from planner.memory.setup import Setup
from planner.memory.trained import Trained
from planner.memory.weights import weight_bytes
from planner.units import GIB

#: Python, CUDA libraries and data loading of one process, and the page cache they like: assumed.
PROCESS_GIB = 4.0


def host_ram_gib(counts: Counts, setup: Setup, learned: Trained) -> float:
    """GiB of host RAM one node needs.

    Rank 0 reads the checkpoint in 16 bits before it is sharded or quantised (safetensors are
    mapped, so an unsharded load needs little more than its largest shard: taken as a tenth).
    Offload adds the weights, gradients and states that leave the GPU. Every GPU adds one process.
    """
    gpus_per_node = max(1, setup.gpus // setup.nodes)
    loads_whole = setup.sharding in ("fsdp", "zero3") and setup.gpus > 1
    loading = 2.0 * counts.total * (1.0 if loads_whole else 0.1)
    offloaded = 0.0
    if setup.offload:
        states = learned.weight_bytes + learned.state_bytes
        held = weight_bytes(counts, setup) if setup.sharding in ("fsdp", "zero3") else 0.0
        offloaded = (states + held) / setup.nodes
    return PROCESS_GIB * gpus_per_node + max(loading, offloaded) / GIB
