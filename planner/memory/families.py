"""What the layers of some model families save beside what a Llama layer of their sizes would."""

from functools import cache
from typing import Literal

from planner.data_files import read_rows
from planner.memory.counts import Counts
from planner.models.architecture import Architecture

Saves = Literal["full", "full_amp", "frozen", "prepared"]


@cache
def _table() -> dict[tuple[str, str], dict[str, float]]:
    return {
        (family, row["norm"]): {
            name: float(value)
            for name, value in row.items()
            if name not in ("families", "norm", "source")
        }
        for row in read_rows("planner.memory", "families.csv")
        for family in row["families"].split(";")
    }


def extra_per_token(architecture: Architecture, counts: Counts, saves: Saves) -> float:
    """Bytes per token of one layer beside the closed form of a Llama layer; may be negative.

    a H + b (Hq + Hkv): norms of queries and keys, more norms per layer, layer norms in place of
    norms in fp32, activations built of single operations. `saves` says what keeps its inputs: all
    of a model trained in 16 bits ("full") or under autocast ("full_amp"), a frozen one, or a
    quantised one prepared for training. Source: data/families.csv; 0 for families not in it.
    """
    row = _table().get((architecture.family, architecture.norm or ""))
    if row is None:
        return 0.0
    width = counts.query_width + counts.key_value_width
    per_width = row["full_query_key" if saves in ("full", "full_amp") else "frozen_query_key"]
    return row[f"{saves}_hidden"] * (architecture.hidden or 0) + per_width * width
