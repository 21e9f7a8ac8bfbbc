"""/watch in a Slack channel: administrators of the workspace manage it."""

import asyncio

from slack_sdk.web.async_client import AsyncWebClient

from bot.cards.notice import notice_card
from bot.digests.manage import Channel
from bot.language import words
from bot.render import render
from bot.settings import answer_settings
from bot.slack.answers import Answers, Message
from bot.slack.asking import Asker
from bot.slack.muat_command import may_manage
from bot.store.asked import Asked
from bot.store.watches import MOST
from bot.watches.checking import Prices
from bot.watches.manage import Request, manage

COMMAND = "/watch"


async def answer_watch(
    answers: Answers, client: AsyncWebClient, asker: Asker, typed: str
) -> Message:
    """What became of it, for the asker alone."""
    return await _managed(answers, client, asker, typed, limit_from_price=False)


async def watch_cheaper(
    answers: Answers, client: AsyncWebClient, asker: Asker, question: Asked
) -> Message:
    """A watch of `question` under its price now, by who may make one there."""
    return await _managed(answers, client, asker, question.text, limit_from_price=True)


async def _managed(
    answers: Answers,
    client: AsyncWebClient,
    asker: Asker,
    typed: str,
    *,
    limit_from_price: bool,
) -> Message:
    language = await answers.language(asker)
    allowed = await may_manage(client, asker)
    where = Channel("slack", asker.team, asker.channel, asker.person, allowed)
    settings = answer_settings()
    prices = Prices(settings.catalog, 1 / settings.idr_per_usd)
    request = Request(typed, language, answers.now(), limit_from_price)
    notes = await asyncio.to_thread(manage, answers.store, where, request, prices)
    card = notice_card(notes, "neutral", MOST)
    return await asyncio.to_thread(render, card, "slack", words(language))
