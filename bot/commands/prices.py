"""/prices: what GPUs cost per hour, cheapest first."""

from bot.cards.card import Card
from bot.cards.notice import notice_card
from bot.cards.prices import prices_card
from bot.commands.registry import Asking, command
from bot.grammar.command import Command
from bot.pricing import prices_for
from planner.notes import note


@command("prices")
def answer_prices(asked: Command, asking: Asking) -> Card:
    """The price card for what was asked."""
    body = prices_for(asked, asking.catalog_file, asking.now)
    if not body.rows:
        return notice_card((note("errors.no_prices"), *asked.notes), "warning")
    return prices_card(body.rows, body.catalog, (*asked.notes, *body.warnings))
