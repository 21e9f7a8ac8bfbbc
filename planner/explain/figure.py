"""One explained number."""

from typing import Literal

from planner.base import Frozen
from planner.notes import Note

Unit = Literal["GiB", "GB", "tokens/s", "h", "min", "s", "USD", "1/h", "share"]
FigureName = Literal[
    "weights_gib", "adapters_gib", "gradients_gib", "optimizer_gib", "activations_gib",
    "logits_gib", "temporary_gib", "peak_gib", "headroom_gib",
    "tokens_per_s", "tokens_per_s_low", "tokens_per_s_high",
    "setup_hours", "training_hours", "saving_hours", "hours", "hours_low", "hours_high",
    "billed_hours", "compute_usd", "storage_usd", "egress_usd", "usd_total",
    "expected_usd_spot", "break_even_interruptions_per_hour",
    "write_seconds", "daly_minutes", "interval_minutes", "overhead_fraction",
]  # fmt: skip


class Figure(Frozen):
    """A number, the formula that gives it, and its inputs by their names in the formula.

    A formula is plain arithmetic over the inputs (with sqrt, ceil, floor, min, max, round); one
    with "=" is an equation that the number solves. `source` says where the inputs come from.
    """

    name: FigureName
    value: float
    unit: Unit
    formula: str
    inputs: dict[str, float]
    source: Note
