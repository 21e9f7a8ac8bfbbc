"""Logits and loss: often the peak with vocabularies of 128k entries and more."""

from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows
from planner.memory.counts import Counts
from planner.memory.setup import LOSSES_THAT_KEEP_LOGITS, Setup
from planner.memory.temporary import dequantised_head_bytes
from planner.models.architecture import Architecture

#: Bytes of a logit as the head makes it.
HEAD_OUTPUT_BYTES = 2


class LogitBytes(NamedTuple):
    """Bytes while the head makes logits (what an earlier micro-batch left included), during the
    loss, during its backward, and held from then on through the layers'."""

    made: float
    forward: float
    backward: float
    held: float


class _Loss(NamedTuple):
    """A row of data/losses.csv: bytes per logit, bytes per token and hidden unit around the head,
    and copies of a trained head's gradient that stand while the loss goes backward.
    """

    forward: float
    backward: float
    compiled: float | None
    around: float
    head_gradients: float


@cache
def _losses() -> dict[tuple[str, str], _Loss]:
    return {
        (row["loss"], row["method"]): _Loss(
            forward=float(row["forward"]),
            backward=float(row["backward"]),
            compiled=float(row["compiled"]) if row["compiled"] else None,
            around=float(row["around"]),
            head_gradients=float(row["head_gradients"]),
        )
        for row in read_rows("planner.memory", "losses.csv")
    }


def _loss(setup: Setup) -> _Loss:
    table = _losses()
    found = table.get((setup.loss, setup.method)) or table[setup.loss, "*"]
    if setup.torch_compile and found.compiled is not None:
        return found._replace(forward=found.compiled, backward=found.compiled)
    return found


def logit_bytes(architecture: Architecture, counts: Counts, setup: Setup) -> LogitBytes:
    """Bytes of logits and loss for one micro-batch: tokens x vocabulary x bytes by the kind of
    loss.

    Encoders are fine-tuned with a small task head, so their vocabulary does not count.
    Source: data/losses.csv. An fp32 head needs a 16-bit copy while it is used. What the loss saved
    is gone once its backward is done; only outputs that the caller holds outlive it (under FSDP
    the hf-trl rows show none held). `around` counts bytes per token and hidden unit beside the
    head: its input, that input's gradient, their casts. A trained head whose output comes in
    chunks adds up its gradient while later chunks are still alive.
    """
    if architecture.arch == "encoder" or not architecture.vocab:
        return LogitBytes(0.0, 0.0, 0.0, 0.0)
    loss = _loss(setup)
    holds = (
        setup.holds_outputs and setup.loss in LOSSES_THAT_KEEP_LOGITS and setup.sharding != "fsdp"
    )
    held = setup.profile.output_bytes if holds else 0.0
    expanded = dequantised_head_bytes(counts, setup)
    entries = setup.tokens * architecture.vocab
    at_head = expanded and entries * (held + HEAD_OUTPUT_BYTES) + expanded
    head_is_fp32 = setup.kbit_preparation or setup.streams_in_fp32
    hidden = architecture.hidden or 0
    around = loss.around * setup.tokens * hidden
    copy = 2.0 * architecture.vocab * hidden if head_is_fp32 else 0.0
    gradients = loss.head_gradients * architecture.vocab * hidden * setup.trained_bytes
    return LogitBytes(
        made=_made_bytes(entries, held, expanded, setup) + around + copy,
        forward=entries * loss.forward + around + copy,
        backward=max(entries * (loss.backward + held), at_head)
        + around
        + copy
        + (gradients if setup.method == "full" else 0.0),
        held=entries * held,
    )


def _made_bytes(entries: float, held: float, expanded: float, setup: Setup) -> float:
    """Logits as they leave the head, then also as the caller keeps them, beside those of the
    micro-batch before."""
    if setup.loss not in LOSSES_THAT_KEEP_LOGITS:
        return expanded
    before = entries * held if setup.follows_outputs else 0.0
    cast = held if held > HEAD_OUTPUT_BYTES else 0.0
    return before + HEAD_OUTPUT_BYTES * entries + max(expanded, entries * cast)
