"""What a Command asks of the catalog: cards, providers, region, needs."""

from typing import TypedDict

from bot.grammar.command import Command
from planner.catalog.regions import Region, find_region
from planner.errors import BadInput
from planner.query import Need


class CatalogFilters(TypedDict):
    """Arguments of `Catalog.shapes` and `Catalog.prices`; None does not filter."""

    providers: tuple[str, ...] | None
    region: Region | None
    needs: tuple[Need, ...]


def catalog_filters(asked: Command) -> CatalogFilters:
    """The filters that `asked` sets beside cards; BadInput for a region nobody can place."""
    providers = asked.providers or ((asked.provider,) if asked.provider else ())
    return CatalogFilters(
        providers=providers or None,
        region=_region(asked.region),
        needs=asked.needs,
    )


def named_cards(asked: Command) -> tuple[str, ...] | None:
    """The SKUs that `asked` names, without their typed counts; None where it names none."""
    named = asked.gpus or ((asked.gpu,) if asked.gpu else ())
    return tuple(name.rpartition(" ")[2] for name in named) or None


def _region(typed: str | None) -> Region | None:
    if typed is None:
        return None
    region = find_region(typed)
    if region is None:
        raise BadInput("errors.unknown_region", region=typed)
    return region
