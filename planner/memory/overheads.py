"""Memory around the tensors: the CUDA context, communication buffers and the allocator's slack."""

from functools import cache

from planner.data_files import read_rows
from planner.memory.setup import Setup
from planner.units import GIB


@cache
def _table() -> dict[str, float]:
    return {
        row["name"]: float(row["value"]) for row in read_rows("planner.memory", "overheads.csv")
    }


def overhead(name: str) -> float:
    """A figure of data/overheads.csv."""
    return _table()[name]


def context_bytes(setup: Setup) -> float:
    """What nvidia-smi shows beyond PyTorch's reserved memory: CUDA context, libraries, NCCL
    between GPUs.
    """
    talking = overhead("communication") if setup.gpus > 1 and setup.sharding != "device_map" else 0
    return (overhead("cuda_context") + talking) * GIB


def fragmentation_bytes(allocated_bytes: float) -> float:
    """Reserved minus allocated: what PyTorch's caching allocator holds beyond live tensors."""
    return allocated_bytes * (overhead("reserved_over_allocated") - 1)
