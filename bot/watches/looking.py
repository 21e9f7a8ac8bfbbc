"""What a watched plan or price costs now, and on which machine."""

from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import NamedTuple

from bot.cards.bodies import PriceRow, machine_name
from bot.grammar.command import Command
from bot.planning import plan_for
from bot.pricing import prices_for
from planner.catalog.store import open_catalog
from planner.notes import Note
from planner.plan.result import CatalogFacts, Option
from planner.watching import WatchedFigure


class Look(NamedTuple):
    """`usd` is the figure watched; None where nothing that fits is for rent at a known price.

    What it costs that on is `offer`, and `machine` names it alike in every language.
    """

    usd: float | None
    offer: Option | PriceRow | None
    catalog: CatalogFacts
    assumptions: tuple[Note, ...] = ()
    warnings: tuple[Note, ...] = ()

    @property
    def machine(self) -> str:
        """The machine by count, card, provider and type; "" where there is none."""
        return "" if self.offer is None else machine_name(self.offer)


def look(asked: Command, figure: WatchedFigure, catalog_file: Path | None, now: datetime) -> Look:
    """The `figure` of what `asked` says; BadInput where it can no longer be planned."""
    if figure == "gpu_hour":
        return _priced(asked, catalog_file, now)
    plan = plan_for(asked, catalog_file, now).plan
    option = _option(plan.options, figure)
    usd = None
    if option is not None:
        usd = option.usd_total if figure == "run" else option.usd_per_hour
    return Look(usd, option, plan.catalog, plan.assumptions, plan.warnings)


def _option(options: tuple[Option, ...], figure: WatchedFigure) -> Option | None:
    """The plan's own choice for the run; for an hour its cheapest machine."""
    if figure == "run":
        return next(iter(options), None)
    return min(options, key=lambda one: one.usd_per_hour, default=None)


def _priced(asked: Command, catalog_file: Path | None, now: datetime) -> Look:
    found = prices_for(asked, catalog_file, now)
    row = next((one for one in found.rows if one.usd_per_gpu_hour is not None), None)
    usd = None if row is None else row.usd_per_gpu_hour
    return Look(usd, row, found.catalog, asked.notes, found.warnings)


def prices_as_of(catalog_file: Path | None, now: datetime) -> datetime | None:
    """When the newest prices were read, else the day they were gathered; None where neither is
    known. A watch that has seen these need not look again.
    """
    with open_catalog(catalog_file) as catalog:
        read_at = catalog.read_at()
        gathered_on = catalog.facts(now).gathered_on
    if read_at is not None:
        return read_at
    if gathered_on is None:
        return None
    return datetime.combine(date.fromisoformat(gathered_on.split("/")[-1]), time(), UTC)
