"""From a Command to the price list it asks for."""

from datetime import datetime
from pathlib import Path

from bot.cards.bodies import PriceRow, PricesBody
from bot.grammar.command import Command
from bot.wanted import catalog_filters, named_cards
from planner.catalog.freshness import freshness
from planner.catalog.offer import Shape
from planner.catalog.store import open_catalog
from planner.errors import BadInput


def prices_for(asked: Command, catalog_file: Path | None, now: datetime) -> PricesBody:
    """The cheapest price per card, market and provider for what `asked` names, by the price of one
    GPU.
    """
    _refuse_unknown_card(asked)
    with open_catalog(catalog_file) as catalog:
        shapes = catalog.prices(
            gpus=named_cards(asked),
            memory_gb=asked.vram_gib,
            market=asked.market,
            max_usd_per_hour=asked.max_usd_per_hour,
            **catalog_filters(asked),
        )
        return PricesBody(
            rows=tuple(_row(shape, now) for shape in shapes),
            more=0,
            catalog=catalog.facts(now),
            warnings=catalog.warnings(now),
        )


def _refuse_unknown_card(asked: Command) -> None:
    """BadInput where the only card named is none Muat knows: its price is not that of all cards."""
    unknown = next((one for one in asked.notes if one.code == "grammar.gpu_unknown"), None)
    if unknown is not None and named_cards(asked) is None:
        raise BadInput(
            "gpus.unknown", name=unknown.values["typed"], nearest=unknown.values["nearest"]
        )


def _row(shape: Shape, now: datetime) -> PriceRow:
    offer = shape.offer
    return PriceRow(
        gpu=offer.gpu,
        gpu_count=offer.gpu_count,
        provider=offer.provider,
        instance_type=offer.instance_type,
        region=offer.region,
        market=shape.market,
        usd_per_hour=shape.usd_per_hour,
        usd_per_gpu_hour=shape.usd_per_hour / offer.gpu_count,
        as_of=offer.as_of.isoformat() if offer.as_of else None,
        gathered_on=offer.gathered_on.isoformat() if offer.gathered_on else None,
        freshness=freshness(offer, now),
    )
