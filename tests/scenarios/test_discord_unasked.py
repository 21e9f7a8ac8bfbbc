"""Questions in a Discord channel that nobody asks Muat: opt-in, replies, silence."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.store.engine import open_store
from bot.store.team_settings import Where, set_value
from bot.store.unasked import SETTING, YES, tallies
from planner.errors import BadInput
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_client import serving
from tests.standins.discord_desks import real_desk

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
CHANNEL = Where("discord", "200000000000000001", "300000000000000001")
QUESTION = "does a spot instance make sense for a long training run?"


def opt_in(folder: Path) -> None:
    """What /muat settings keeps (tests/bot/discord/test_settings.py)."""
    set_value(open_store(f"sqlite:///{folder}/team.sqlite"), CHANNEL, SETTING, YES, by="1", now=NOW)


async def test_reading_along_needs_the_intent_and_says_so(tmp_path: Path) -> None:
    async with DiscordStandIn() as server:
        with pytest.raises(BadInput) as refusal:
            async with serving(real_desk(), server, reads_messages=True):
                pass
    assert refusal.value.note.code == "discord.intent_missing"


async def test_a_question_is_answered_where_the_channel_wants_it(tmp_path: Path) -> None:
    async with DiscordStandIn() as server:
        server.grants_message_content = True
        async with serving(real_desk(), server, folder=tmp_path, reads_messages=True):
            opt_in(tmp_path)
            await server.say("lunch anyone?")
            await server.say(QUESTION)
            await asyncio.wait_for(server.posted.wait(), 20)
            (post,) = server.posts
            assert "spot" in str(post).lower()
            assert "muat:helpful:" in str(post) and "muat:unhelpful:" in str(post)
    ((topic, answers, *_),) = tallies(
        open_store(f"sqlite:///{tmp_path}/team.sqlite"), "discord", "200000000000000001"
    )
    assert (topic, answers) == ("spot_vs_on_demand", 1)
    assert server.refusals == []
