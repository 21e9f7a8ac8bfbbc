"""How an interaction is answered: with a message, or with one sentence."""

from typing import Any, NamedTuple

import discord
from discord import Interaction, InteractionResponseType, ui

from bot.discord.components import view_from


class Outgoing(NamedTuple):
    """A message ready to be sent."""

    view: ui.LayoutView
    files: tuple[discord.File, ...] = ()


async def show(interaction: Interaction[Any], out: Outgoing) -> None:
    """Put `out` in the place of the answer that is awaited."""
    await interaction.edit_original_response(view=out.view, attachments=out.files)


async def tell(interaction: Interaction[Any], sentence: str) -> None:
    """Say one sentence to the asker alone; a card that was there stays as it is."""
    view = view_from({"type": "text_display", "content": sentence})
    if not interaction.response.is_done():
        await interaction.response.send_message(view=view, ephemeral=True)
    elif interaction.response.type is InteractionResponseType.deferred_message_update:
        await interaction.followup.send(view=view, ephemeral=True)
    else:
        await interaction.edit_original_response(view=view)
