"""The price card: what machines cost, cheapest first."""

from collections.abc import Sequence

from bot.cards.bodies import NotesBody, PriceRow, PricesBody
from bot.cards.card import Card, Section
from planner.notes import Note
from planner.plan.result import CatalogFacts

ROWS_SHOWN = 10


def prices_card(
    rows: Sequence[PriceRow], catalog: CatalogFacts, notes: tuple[Note, ...] = ()
) -> Card:
    """The first rows of `rows`, in the order given, what the reading of the question took or left
    out, and the age of the catalog behind them.
    """
    body = PricesBody(
        rows=tuple(rows[:ROWS_SHOWN]), more=max(0, len(rows) - ROWS_SHOWN), catalog=catalog
    )
    sections = [Section(name="prices", priority=0, body=body)]
    if notes:
        sections.append(Section(name="warnings", priority=1, body=NotesBody(notes=notes)))
    return Card(kind="prices", tone="neutral", sections=tuple(sections))
