"""/fit: does it fit, what to rent, spot or not, how often to checkpoint."""

from bot.cards.card import Card
from bot.cards.fit import fit_card
from bot.commands.registry import Asking, command
from bot.grammar.command import Command
from bot.planning import plan_for


@command("fit")
def answer_fit(asked: Command, asking: Asking) -> Card:
    """The fit card for what was asked."""
    planned = plan_for(asked, asking.catalog_file, asking.now)
    return fit_card(planned.plan, planned.architecture.display_name)
