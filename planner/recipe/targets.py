"""What an orchestrator calls a provider and a card."""

from functools import cache
from typing import Literal, NamedTuple, cast

from planner.data_files import read_rows
from planner.errors import BadInput

#: Where a target keeps checkpoints at a provider: a bucket or a volume it mounts, or a private
#: repository of the hub.
Keeps = Literal["bucket", "volume", "hub"]


class Place(NamedTuple):
    """A provider as a target writes it, and where checkpoints outlive its machines."""

    name: str
    keeps: Keeps


def place_of(target: str, provider: str) -> Place:
    """`provider` for `target`; BadInput names it and those that are known."""
    known = _providers(target)
    if provider not in known:
        raise BadInput(
            "recipe.unknown_provider", target=target, provider=provider, known=tuple(known)
        )
    return known[provider]


@cache
def _providers(target: str) -> dict[str, Place]:
    rows = read_rows("planner.recipe", "targets.csv")
    return {
        row["provider"]: Place(row["name"], cast(Keeps, row["keeps"]))
        for row in rows
        if row["target"] == target
    }


def card_name(target: str, provider: str, gpu: str) -> str:
    """`gpu` as `target` writes it for `provider`; BadInput where it has no such card."""
    name = _own_names().get((target, provider, gpu)) or _cards(target).get(gpu)
    if name is None:
        raise BadInput("recipe.unknown_card", target=target, gpu=gpu)
    return name


@cache
def _cards(target: str) -> dict[str, str]:
    rows = read_rows("planner.recipe", "cards.csv")
    return {row["gpu"]: row[target] for row in rows if row[target]}


@cache
def _own_names() -> dict[tuple[str, str, str], str]:
    """Names that hold for one provider alone."""
    rows = read_rows("planner.recipe", "cards_by_provider.csv")
    return {(row["target"], row["provider"], row["gpu"]): row["name"] for row in rows}
