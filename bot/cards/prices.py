"""The price card: what machines cost, cheapest first."""

from collections.abc import Sequence

from bot.cards.bodies import PriceRow, PricesBody
from bot.cards.card import Card, Section
from planner.plan.result import CatalogFacts

ROWS_SHOWN = 10


def prices_card(rows: Sequence[PriceRow], catalog: CatalogFacts) -> Card:
    """The first rows of `rows`, in the order given, and the age of the catalog behind them."""
    body = PricesBody(
        rows=tuple(rows[:ROWS_SHOWN]), more=max(0, len(rows) - ROWS_SHOWN), catalog=catalog
    )
    return Card(
        kind="prices", tone="neutral", sections=(Section(name="prices", priority=0, body=body),)
    )
