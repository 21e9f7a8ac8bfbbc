"""What the verdict speaks of: the card the asker names, or the machine that is recommended."""

from typing import NamedTuple

from planner.gpus import registry as gpus
from planner.gpus.gpu import ASSUMED_USABLE_SHARE, Gpu
from planner.notes import Note, note
from planner.plan.search import Candidate, is_the_card
from planner.plan.sizers import Sizers
from planner.plan.sizing import Sized, Sizer
from planner.query import PlanQuery

#: GPUs in one node where nobody says otherwise.
GPUS_PER_NODE = 8
#: Counts tried when the asker wants to know how many of a card are needed.
COUNTS = (1, 2, 4, 8, 16, 24, 32, 48, 64, 128)


class Judged(NamedTuple):
    """A layout, the memory one card of it offers, and what must be said about that."""

    sized: Sized
    usable_gib: float
    gpu: Gpu | None
    warnings: tuple[Note, ...] = ()


def judge(query: PlanQuery, sizers: Sizers, chosen: Candidate | None) -> Judged:
    """The layout and card that the verdict is about."""
    if chosen is not None:
        return Judged(chosen.sized, chosen.gpu.usable_gib, chosen.gpu, _card_notes(chosen.gpu))
    gpu = gpus.get(query.gpu) if query.gpu else None
    if gpu is not None:
        missing = tuple(
            note("plan.too_old_for", gpu=gpu.name, feature=feature)
            for feature in sizers.missing_on(gpu)
        )
        warnings = (*missing, *_card_notes(gpu))
        return _judge_on(query, sizers.on_named(gpu), gpu.usable_gib, gpu, warnings)
    if query.vram_gib is not None:
        return _judge_on(query, sizers.usual, *_card_of_size(query))
    largest = max((g for g in gpus.every() if gpus.is_planned(g)), key=lambda g: g.usable_gib)
    return _judge_on(query, sizers.usual, largest.usable_gib, largest)


def _card_of_size(query: PlanQuery) -> tuple[float, Gpu | None, tuple[Note, ...]]:
    """Usable memory of a card of which only the size is known: the least any such card reports."""
    size = query.vram_gib or 0.0
    known = [g for g in gpus.every() if g.memory_gib_reported and is_the_card(query, g)]
    if known:
        return min(g.usable_gib for g in known), None, ()
    usable = size * ASSUMED_USABLE_SHARE
    return usable, None, (note("plan.usable_assumed", usable_gib=usable),)


def _judge_on(
    query: PlanQuery,
    sizer: Sizer,
    usable_gib: float,
    gpu: Gpu | None,
    warnings: tuple[Note, ...] = (),
) -> Judged:
    count = query.gpu_count or (query.nodes * GPUS_PER_NODE if query.nodes else None)
    counts = COUNTS if count is None else (count,)
    if query.gpu is None and count is None:
        counts = (1,)
    sized = None
    for gpu_count in counts:
        nodes = query.nodes or -(-gpu_count // GPUS_PER_NODE)
        sized = sizer.size(max(1, gpu_count // nodes), nodes, usable_gib)
        if sized.verdict == "fits":
            break
    assert sized is not None  # noqa: S101  counts is never empty
    return Judged(sized, usable_gib, gpu, warnings)


def _card_notes(gpu: Gpu) -> tuple[Note, ...]:
    found = []
    if gpu.usable_is_assumed:
        found.append(note("plan.usable_assumed_card", gpu=gpu.name, usable_gib=gpu.usable_gib))
    if not gpu.supports_bf16:
        found.append(note("plan.no_bf16", gpu=gpu.name))
    if gpu.vendor != "nvidia":
        found.append(note("plan.not_nvidia", gpu=gpu.name))
    return tuple(found)
