"""/digest in Slack, from making one to listing it, in both languages."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.desk import Desk
from bot.slack.app import connected
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tests.standins.slack_answers import NOW, answers_of


@pytest.fixture
async def slack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SlackStandIn]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    desk = Desk(None, 1 / 16667, lambda: NOW)
    async with (
        SlackStandIn() as stand_in,
        connected(
            bot_token=BOT_TOKEN,
            app_token=APP_TOKEN,
            answers=answers_of(desk),
            api_url=stand_in.api_url,
        ),
    ):
        await stand_in.connected()
        yield stand_in
        assert stand_in.refusals == [] and stand_in.pings == []


async def said(slack: SlackStandIn, text: str, user: str) -> str:
    sent = await slack.slash("/digest", text, user=user)
    assert await sent.acknowledged() < 3
    return str((await sent.answer())["blocks"])


@pytest.mark.parametrize(
    ("user", "wish", "made", "listed"),
    [
        ("U1", "mondays 09:00 Asia/Jakarta h100 a100 over 5%", "next on 2026-12-07 09:00", "Mon"),
        ("U2", "tiap senin jam 9 WIB h100 a100 di atas 5%", "berikutnya 2026-12-07 09:00", "Mon"),
    ],
)
async def test_a_digest_is_made_and_listed(
    slack: SlackStandIn, user: str, wish: str, made: str, listed: str
) -> None:
    slack.admins.add("U2")
    assert made in await said(slack, wish, user)
    assert listed in await said(slack, "list", user)


async def test_a_guest_is_told_who_may(slack: SlackStandIn) -> None:
    assert "yang boleh mengelola" in await said(slack, "tiap senin h100", "U2")
