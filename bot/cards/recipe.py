"""The recipe card: the files that run a plan."""

from bot.cards.bodies import NotesBody, RecipeBody
from bot.cards.card import Card, Section
from planner.recipe.recipe import Recipe


def recipe_card(found: Recipe, model: str) -> Card:
    """The files in the order to read them; what was assumed."""
    body = RecipeBody(
        model=model, target=found.target, option=found.option, files=tuple(found.files.items())
    )
    sections = [Section(name="recipe", priority=0, body=body)]
    if found.warnings:
        sections.append(Section(name="warnings", priority=1, body=NotesBody(notes=found.warnings)))
    sections.append(Section(name="assumed", priority=2, body=NotesBody(notes=found.assumptions)))
    return Card(kind="recipe", tone="neutral", sections=tuple(sections))
