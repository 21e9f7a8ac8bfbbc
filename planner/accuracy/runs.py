"""The measured runs that stand behind the estimates: who measured what, and how it maps to a
question.

data/measured_runs.csv carries public measurements of fine-tuning runs, each with its source. Blank
is "not said": the stack's default then holds, as it would for anybody who asks.
"""

from functools import cache
from typing import Any, NamedTuple

from planner.data_files import read_rows
from planner.gpus.gpu import ASSUMED_USABLE_SHARE
from planner.memory.estimate import estimate, on_card
from planner.memory.result import MemoryEstimate
from planner.models.registry import resolve
from planner.query import Training

_FLAGS = (
    "double_quant", "train_embeddings", "kbit_preparation", "master_weights",
    "optimizer_in_backward", "torch_compile", "activation_offload", "offload",
)  # fmt: skip
_WORDS = (
    "method", "stack", "stack_version", "base_dtype", "lora_targets", "precision", "optimizer",
    "optimizer_states", "gradient_checkpointing", "attention", "loss", "sharding",
)  # fmt: skip
#: Batches of single samples: padded to the longest, or laid end to end without padding. Either way
#: the stated length is the longest allowed, not the usual one.
_UNPACKED = ("padded", "padding-free")
_COUNTS = ("lora_rank", "micro_batch", "seq_len", "resolution", "images")


class MeasuredRun(NamedTuple):
    """One measurement. `low_gib`..`high_gib` is what the source's figure stands for, None where it
    ran out of memory; `counter` says which of torch's or the driver's counters it is."""

    id: str
    group: str
    model: str
    training: Training
    gpus: int
    gpu: str
    gpu_memory_gb: float | None
    ran_out_of_memory: bool
    counter: str
    low_gib: float | None
    high_gib: float | None
    device_gib: float | None
    quality: str
    source: str

    @property
    def middle_gib(self) -> float | None:
        """The middle of what the figure stands for."""
        if self.low_gib is None or self.high_gib is None:
            return None
        return (self.low_gib + self.high_gib) / 2

    @property
    def usable_gib(self) -> float | None:
        """What its card offers, assumed as for any of that size; None where it is not known."""
        return self.gpu_memory_gb and self.gpu_memory_gb * ASSUMED_USABLE_SHARE

    def estimated(self) -> MemoryEstimate:
        """What the estimator says about this run."""
        return self.shown(estimate(resolve(self.model).architecture, self.training, gpus=self.gpus))

    def shown(self, found: MemoryEstimate) -> MemoryEstimate:
        """`found` on the run's own card."""
        return on_card(found, self.usable_gib) if self.usable_gib else found


@cache
def measured_runs() -> tuple[MeasuredRun, ...]:
    """Every run that the estimator covers, in the order of the file."""
    return tuple(_run(row) for row in read_rows("planner.accuracy", "measured_runs.csv"))


@cache
def vision_runs() -> tuple[MeasuredRun, ...]:
    """Runs of vision-language and diffusion models that map to estimate keys.

    Kept apart: they are few, many state no picture sizes, and padding-free ones state only the
    longest length.
    """
    return tuple(_run(row) for row in read_rows("planner.accuracy", "vision_runs.csv"))


def training_of(row: dict[str, str]) -> Training:
    """The estimate keys that a row of measurements states."""
    said: dict[str, Any] = {key: row[key] for key in _WORDS if row[key]}
    said |= {key: row[key] == "y" for key in _FLAGS if row[key]}
    said |= {key: int(row[key]) for key in _COUNTS if row.get(key)}
    said["packing"] = None if not row["batches"] else row["batches"] not in _UNPACKED
    said["virtual_tokens"] = _virtual_tokens(row)
    return Training.model_validate(said)


def _run(row: dict[str, str]) -> MeasuredRun:
    return MeasuredRun(
        id=row["id"],
        group=row["source_group"],
        model=row["model"],
        training=training_of(row),
        gpus=int(row["gpus"] or 1),
        gpu=row["gpu"],
        gpu_memory_gb=_number(row["gpu_memory_gb"]),
        ran_out_of_memory=row["oom"] == "y",
        counter=row["counter"],
        low_gib=_number(row["low_gib"]),
        high_gib=_number(row["high_gib"]),
        device_gib=_number(row["device_gib"]),
        quality=row["quality"],
        source=row["source"],
    )


def _virtual_tokens(row: dict[str, str]) -> int | None:
    """How many virtual tokens a prompt or a prefix of so many trained parameters has."""
    if row["method"] not in ("prompt", "prefix") or not row["trainable_params"]:
        return None
    model = resolve(row["model"]).architecture
    width = model.hidden or 1
    if row["method"] == "prefix":
        width = 2 * (model.layers or 1) * (model.kv_heads or 1) * (model.head_dim or 1)
    return int(row["trainable_params"]) // width


def _number(cell: str) -> float | None:
    return float(cell) if cell else None
