"""/watch in a Discord channel: who may manage the server manages it."""

import asyncio
from typing import Any

from discord import Interaction

from bot.cards.notice import notice_card
from bot.digests.manage import Channel
from bot.discord.answers import Answers
from bot.discord.asking import asker_of
from bot.discord.components import view_from
from bot.discord.showing import Outgoing
from bot.language import words
from bot.render import render
from bot.settings import answer_settings
from bot.store.asked import Asked
from bot.store.watches import MOST
from bot.watches.checking import Prices
from bot.watches.manage import Request, manage

WATCH = "/watch"


async def watched(answers: Answers, interaction: Interaction[Any], typed: str) -> Outgoing:
    """What became of it."""
    return await _managed(answers, interaction, typed, limit_from_price=False)


async def watch_cheaper(
    answers: Answers, interaction: Interaction[Any], question: Asked
) -> Outgoing:
    """A watch of `question` under its price now, by who may make one there."""
    return await _managed(answers, interaction, question.text, limit_from_price=True)


async def _managed(
    answers: Answers, interaction: Interaction[Any], typed: str, *, limit_from_price: bool
) -> Outgoing:
    asker = asker_of(interaction)
    language = await answers.language(asker)
    allowed = not asker.server or interaction.permissions.manage_guild
    where = Channel("discord", asker.server, asker.channel, asker.person, allowed)
    settings = answer_settings()
    prices = Prices(settings.catalog, 1 / settings.idr_per_usd)
    request = Request(typed, language, answers.now(), limit_from_price)
    notes = await asyncio.to_thread(manage, answers.store, where, request, prices)
    card = notice_card(notes, "neutral", MOST)
    return Outgoing(view_from(render(card, "discord", words(language))))
