"""Whether a stack trains the vision tower, and how much of a sequence is pictures."""

from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows
from planner.models.architecture import Architecture
from planner.models.vision import USUAL_RESOLUTION, tower_of
from planner.notes import Note, note
from planner.query import Stack, Training


class _TowerPolicy(NamedTuple):
    """What a stack does with the tower unless told otherwise: `in_full` whether full fine-tuning
    trains it, `by_all_linear` whether adapters on every linear reach into it."""

    in_full: bool
    by_all_linear: bool


class Pictures(NamedTuple):
    """Patches of one sequence that go through the tower, the tokens they take in it, and what had
    to be assumed."""

    patches: int
    tokens: int
    assumed: tuple[str, ...]


@cache
def _policies() -> dict[str, _TowerPolicy]:
    return {
        row["stack"]: _TowerPolicy(row["in_full"] == "y", row["by_all_linear"] == "y")
        for row in read_rows("planner.memory", "vision_stacks.csv")
    }


def trains_tower(architecture: Architecture, asked: Training, stack: Stack, targets: str) -> bool:
    """Whether gradients reach the vision tower of this model."""
    if not architecture.vision_params:
        return False
    policy = _policies().get(stack) or _policies()["*"]
    if asked.method == "full":
        return policy.in_full
    adapts = asked.method in ("lora", "qlora", "dora") and targets == "all-linear"
    return adapts and policy.by_all_linear


def notes(seen: Pictures, seq_len: int) -> tuple[Note, ...]:
    """That pictures are part of the sequence, and whether they lengthened it."""
    if seen.tokens > seq_len:
        return (note("memory.pictures_lengthen", seq_len=seq_len, tokens=seen.tokens),)
    if seen.tokens:
        return (note("memory.pictures_inside", seq_len=seq_len, tokens=seen.tokens),)
    return ()


def pictures(architecture: Architecture, asked: Training, seq_len: int) -> Pictures:
    """The pictures of one sequence of `seq_len` tokens, of which theirs are part.

    Nobody said how many: the tower's usual number, one where a resolution is said, none for a
    language model that happens to have a tower. Nobody said how large: about a megapixel, or what
    the sequence holds. Pictures that were said and are longer than the sequence lengthen it: no
    stack cuts inside a picture.
    """
    tower = tower_of(architecture)
    images = asked.images if tower is not None else 0
    if images is None and tower is not None:
        usual = 1 if asked.resolution is not None else tower.usual_images
        images = usual if architecture.arch == "vlm" else 0
    if not images or tower is None:
        left_out = ("images=0",) if tower and architecture.arch == "vlm" else ()
        return Pictures(0, 0, left_out if asked.images is None else ())
    patches = images * tower.patches(asked.resolution or USUAL_RESOLUTION)
    assumed = ["images=1"] if asked.images is None else []
    if asked.resolution is None:
        patches = min(patches, seq_len * tower.merge**2) if tower.in_sequence else patches
        if tower.rule != "fixed":
            assumed.append(f"resolution={USUAL_RESOLUTION}")
    return Pictures(patches, tower.tokens(patches), tuple(assumed))
