"""/recipe: the plan as files that run it."""

from bot.cards.card import Card
from bot.cards.recipe import recipe_card
from bot.commands.registry import Asking, command
from bot.grammar.command import Command
from bot.recipes import written


@command("recipe")
def answer_recipe(asked: Command, asking: Asking) -> Card:
    """The recipe card for what was asked, its files in full."""
    found = written(asked, asking.catalog_file, asking.now)
    return recipe_card(found.recipe, found.planned.architecture.display_name)
