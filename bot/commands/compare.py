"""/compare: several models, methods, GPUs or providers side by side."""

from bot.cards.card import Card
from bot.cards.compare import compare_card
from bot.commands.prices import answer_prices
from bot.commands.registry import Asking, command
from bot.comparing import compared, is_comparison
from bot.grammar.command import Command


@command("compare")
def answer_compare(asked: Command, asking: Asking) -> Card:
    """The compare card for what was asked; prices side by side where no model is named."""
    if not is_comparison(asked):
        return answer_prices(asked, asking)
    return compare_card(compared(asked, asking.catalog_file, asking.now))
