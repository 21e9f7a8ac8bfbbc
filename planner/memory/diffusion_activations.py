"""What the blocks of a diffusion transformer or UNet keep for the backward."""

from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows
from planner.memory.activations import LAYERS_KEPT_WHEN_OFFLOADED
from planner.memory.counts import Counts
from planner.memory.diffusion import USUAL_TARGETS, dora_bytes
from planner.memory.setup import Setup
from planner.models.architecture import Architecture
from planner.models.diffusion import GROUPS, adapted, denoiser


class _BlockBytes(NamedTuple):
    """Bytes per token and hidden unit: what a double-stream and a single-stream block save, what is
    kept of each under checkpointing, and the work on one block that is recomputed."""

    saved_double: float
    saved_single: float
    kept: float
    working: float


class BlockActivations(NamedTuple):
    """Bytes kept for the backward over all blocks, what one block needs beside them while it is
    computed, and what that block needs alone."""

    saved: float
    working: float
    last_block: float


@cache
def _table() -> dict[tuple[str, str, str], _BlockBytes]:
    return {
        (row["block"], row["trained"], row["precision"]): _BlockBytes(
            *(float(row[name]) for name in _BlockBytes._fields)
        )
        for row in read_rows("planner.memory", "diffusion_activations.csv")
    }


def block_activations(architecture: Architecture, counts: Counts, setup: Setup) -> BlockActivations:
    """Bytes that the blocks keep and need on one GPU.

    saved = tokens x hidden x (double x a + single x b), with a and b bytes per token and hidden
    unit by kind of block, what is trained and precision (data/diffusion_activations.csv: slopes
    over tokens of diffusers' own models on PyTorch's fake tensors). A double-stream block keeps
    separate maps for picture and text, a single-stream one a joint map; the width of the MLP is
    fixed per kind. SDPA keeps no score matrix, so nothing grows with the square of the resolution.
    Checkpointing keeps each block's input, 2 bytes a hidden unit, and rebuilds one block. Under
    autocast fp32 weights are copied to 16 bits: all of them, or one block's. Selective
    checkpointing, which no trainer of these models offers, counts as none.
    """
    model = denoiser(architecture)
    row = _row(architecture, setup)
    unit = setup.tokens * model.hidden * (setup.compute_bytes / 2)
    blocks = model.double_blocks + model.single_blocks
    share = 1 / setup.gpus if setup.sharding == "device_map" else 1.0
    if setup.activation_offload:
        share *= min(1.0, LAYERS_KEPT_WHEN_OFFLOADED / counts.layers)
    if setup.torch_compile:
        share *= setup.profile.compiled_activations
    copies = 2.0 if _precision(setup) == "amp" and setup.method == "full" else 0.0
    extra = dora_bytes(architecture, setup.lora_targets) if setup.method == "dora" else 0.0
    if setup.checkpointing == "full":
        kept = unit * row.kept * blocks * share
        work = unit * row.working + copies * counts.largest_layer + extra
        return BlockActivations(kept, work, work)
    saved = unit * (row.saved_double * model.double_blocks + row.saved_single * model.single_blocks)
    flowing = unit * max(0.0, row.working - max(row.saved_double, row.saved_single)) + extra
    last = unit * row.working + extra
    return BlockActivations((saved + copies * counts.total) * share, flowing, last)


def _row(architecture: Architecture, setup: Setup) -> _BlockBytes:
    """The coefficients; where adapters on everything were not run (UNets), those on attention."""
    block, table = denoiser(architecture).block, _table()
    key = (block, _trained(architecture, setup), _precision(setup))
    return table.get(key) or table[block, "lora-attention", key[2]]


def _precision(setup: Setup) -> str:
    """Full fine-tuning without autocast over fp32 weights computes as it is stored."""
    if setup.method != "full":
        return setup.precision
    return "amp" if setup.streams_in_fp32 and setup.precision == "amp" else "bf16"


def _trained(architecture: Architecture, setup: Setup) -> str:
    """What of a block is trained: adapters outside attention keep the MLP's inputs as well."""
    targets = setup.lora_targets
    if setup.method == "full":
        return "full"
    if setup.method == "ia3" or targets == USUAL_TARGETS:
        return "lora-attention"
    if targets in GROUPS or any(one.group != "attention" for one in adapted(architecture, targets)):
        return "lora-all"
    return "lora-attention"
