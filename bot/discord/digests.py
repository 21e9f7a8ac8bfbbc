"""/digest in a Discord channel: who may manage the server manages it."""

import asyncio
from typing import Any

from discord import Interaction

from bot.cards.notice import notice_card
from bot.digests.manage import Channel, manage
from bot.discord.answers import Answers
from bot.discord.asking import asker_of
from bot.discord.components import view_from
from bot.discord.showing import Outgoing
from bot.language import words
from bot.render import render
from bot.settings import answer_settings

DIGEST = "/digest"


async def managed(answers: Answers, interaction: Interaction[Any], typed: str) -> Outgoing:
    """What became of it."""
    asker = asker_of(interaction)
    language = await answers.language(asker)
    allowed = not asker.server or interaction.permissions.manage_guild
    where = Channel("discord", asker.server, asker.channel, asker.person, allowed)
    rate = 1 / answer_settings().idr_per_usd
    notes = await asyncio.to_thread(
        manage, answers.store, where, typed, language, rate, answers.now()
    )
    return Outgoing(view_from(render(notice_card(notes, "neutral"), "discord", words(language))))
