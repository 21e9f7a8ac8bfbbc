"""Notes without repetitions."""

from collections.abc import Iterable

from planner.notes import Note


def once(notes: Iterable[Note]) -> tuple[Note, ...]:
    """The notes in their order, each once. (A note holds a dict, so a set cannot do it.)"""
    kept: list[Note] = []
    for one in notes:
        if one not in kept:
            kept.append(one)
    return tuple(kept)
