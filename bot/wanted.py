"""What a Command asks of the catalog: cards, providers, region, needs."""

from typing import TypedDict

from bot.grammar.command import Command
from planner.catalog.regions import Region, find_region
from planner.errors import BadInput
from planner.query import Need


class CatalogFilters(TypedDict):
    """Arguments of `Catalog.shapes` and `Catalog.prices`; None does not filter."""

    gpus: tuple[str, ...] | None
    providers: tuple[str, ...] | None
    region: Region | None
    needs: tuple[Need, ...]


def catalog_filters(asked: Command) -> CatalogFilters:
    """The filters that `asked` sets; BadInput for a region nobody can place."""
    named = asked.gpus or ((asked.gpu,) if asked.gpu else ())
    cards = tuple(name.rpartition(" ")[2] for name in named)
    providers = asked.providers or ((asked.provider,) if asked.provider else ())
    return CatalogFilters(
        gpus=cards or None,
        providers=providers or None,
        region=_region(asked.region),
        needs=asked.needs,
    )


def _region(typed: str | None) -> Region | None:
    if typed is None:
        return None
    region = find_region(typed)
    if region is None:
        raise BadInput("errors.unknown_region", region=typed)
    return region
