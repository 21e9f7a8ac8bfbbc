"""The vision tower beside the language model: what it keeps and needs.

A picture's tokens count inside the sequence length: processors put them into the input ids, and
the stacks' length limits (ms-swift's max_length, TRL's max_length, axolotl's sequence_len) cut
what is longer. So they are in the language model's terms already; here are the tower's own.
"""

from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows
from planner.memory.setup import Setup
from planner.models.architecture import Architecture
from planner.models.vision import tower_of


class TowerBytes(NamedTuple):
    """Bytes the tower keeps until its backward (0 when frozen), and needs while one of its layers
    is computed: in a forward alone, and in a backward."""

    saved: float
    forward: float
    backward: float


class _LayerBytes(NamedTuple):
    """Bytes per patch and hidden unit of one layer: saved, kept under checkpointing, and the work
    in a backward and in a forward without gradients."""

    saved: float
    kept: float
    working: float
    forward: float


@cache
def _table() -> dict[tuple[str, str, str], _LayerBytes]:
    return {
        (row["code"], row["trained"], row["precision"]): _LayerBytes(
            *(float(row[name]) for name in _LayerBytes._fields)
        )
        for row in read_rows("planner.memory", "vision_activations.csv")
    }


def tower_bytes(architecture: Architecture, setup: Setup) -> TowerBytes:
    """Bytes of the tower on one GPU.

    saved = patches x layers x hidden x c, with c bytes per patch and hidden unit by the tower's
    code, what is trained and precision (data/vision_activations.csv: slopes over patches of
    transformers' own layers on PyTorch's fake tensors). The MLP's width is a fixed multiple of the
    hidden size per code. A frozen tower runs without gradients and keeps nothing: only one layer's
    work stands, before the language model begins.
    """
    tower = tower_of(architecture) if setup.patches_per_sequence else None
    if tower is None:
        return TowerBytes(0.0, 0.0, 0.0)
    unit = setup.patches_per_sequence * setup.micro_batch * tower.hidden * setup.compute_bytes / 2
    row = _table()[tower.code, *_how_trained(setup)]
    if not setup.trains_tower:
        return TowerBytes(0.0, unit * row.forward, 0.0)
    if setup.checkpointing == "full":
        saved, working = row.kept, row.working
    else:
        saved, working = row.saved, max(0.0, row.working - row.saved)
    return TowerBytes(unit * saved * tower.layers, unit * row.forward, unit * working)


def _how_trained(setup: Setup) -> tuple[str, str]:
    if not setup.trains_tower:
        return "frozen", "bf16"
    if setup.method != "full":
        return "lora", setup.precision
    return "full", "amp" if setup.streams_in_fp32 else "bf16"
