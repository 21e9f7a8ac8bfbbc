"""Logits and loss: often the peak with vocabularies of 128k entries and more."""

from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows
from planner.memory.setup import LOSSES_THAT_KEEP_LOGITS, Setup
from planner.models.architecture import Architecture

#: Bytes per logit that stay alive when the training loop keeps the model's outputs through the
#: backward.
HELD_OUTPUT_BYTES = 2


class LogitBytes(NamedTuple):
    """Bytes during the loss, during its backward, and held from then on through the layers'."""

    forward: float
    backward: float
    held: float


@cache
def _per_logit() -> dict[str, tuple[float, float, float]]:
    return {
        row["loss"]: (float(row["forward"]), float(row["backward"]), float(row["around"]))
        for row in read_rows("planner.memory", "losses.csv")
    }


def logit_bytes(architecture: Architecture, setup: Setup) -> LogitBytes:
    """Bytes of logits and loss for one micro-batch: tokens x vocabulary x bytes by the kind of
    loss.

    Encoders are fine-tuned with a small task head, so their vocabulary does not count.
    Source: data/losses.csv. An fp32 head needs a 16-bit copy while it is used. What the loss saved
    is gone once its backward is done; only outputs that the caller holds outlive it (under FSDP
    the hf-trl rows show none held). `around` counts bytes per token and hidden unit beside the
    head: its input, that input's gradient, their casts.
    """
    if architecture.arch == "encoder" or not architecture.vocab:
        return LogitBytes(0.0, 0.0, 0.0)
    forward, backward, around = _per_logit()[setup.loss]
    holds = (
        setup.holds_outputs and setup.loss in LOSSES_THAT_KEEP_LOGITS and setup.sharding != "fsdp"
    )
    held = HELD_OUTPUT_BYTES if holds else 0
    entries = setup.tokens * architecture.vocab
    head_is_fp32 = setup.kbit_preparation or setup.streams_in_fp32
    hidden = architecture.hidden or 0
    around *= setup.tokens * hidden
    copy = 2.0 * architecture.vocab * hidden if head_is_fp32 else 0.0
    return LogitBytes(
        forward=entries * forward + around + copy,
        backward=entries * (backward + held) + around + copy,
        held=entries * held,
    )
