"""/digest in a Slack channel: administrators of the workspace manage it."""

import asyncio

from slack_sdk.web.async_client import AsyncWebClient

from bot.cards.notice import notice_card
from bot.digests.manage import Channel, manage
from bot.language import words
from bot.render import render
from bot.settings import answer_settings
from bot.slack.answers import Answers, Message
from bot.slack.asking import Asker
from bot.slack.muat_command import may_manage


async def answer_digest(
    answers: Answers, client: AsyncWebClient, asker: Asker, typed: str
) -> Message:
    """What became of it, for the asker alone."""
    language = await answers.language(asker)
    allowed = await may_manage(client, asker)
    where = Channel("slack", asker.team, asker.channel, asker.person, allowed)
    rate = 1 / answer_settings().idr_per_usd
    notes = await asyncio.to_thread(
        manage, answers.store, where, typed, language, rate, answers.now()
    )
    return await asyncio.to_thread(render, notice_card(notes, "neutral"), "slack", words(language))
