"""Files beside a card: those of a recipe, or the whole of an answer that is too long."""

from io import BytesIO

import discord
from discord import ui

from bot.cards.bodies import RecipeBody
from bot.cards.card import Card

#: Files by name, each with its text.
Files = tuple[tuple[str, str], ...]


def files_of(card: Card) -> Files:
    """The files that `card` shows the beginning of."""
    bodies = (section.body for section in card.sections)
    return next((body.files for body in bodies if isinstance(body, RecipeBody)), ())


def attached_to(view: ui.LayoutView, files: Files) -> tuple[discord.File, ...]:
    """`files` to send along with `view`, which shows each of them to be downloaded."""
    sent = tuple(discord.File(BytesIO(text.encode()), name) for name, text in files)
    for file in sent:
        view.add_item(ui.File(file))
    return sent
