"""/explain: every number of an answer with its formula and inputs."""

from bot.cards.card import Card
from bot.cards.explain import explain_card
from bot.commands.registry import Asking, command
from bot.grammar.command import Command
from bot.planning import plan_for
from planner.explain.explain import explain


@command("explain")
def answer_explain(asked: Command, asking: Asking) -> Card:
    """The explain card for what was asked."""
    planned = plan_for(asked, asking.catalog_file, asking.now)
    return explain_card(explain(planned.plan), planned.architecture.display_name)
