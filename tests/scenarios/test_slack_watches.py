"""/watch in Slack, from making one to its message, in both languages."""

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk import Desk
from bot.digests.deliver import Later, Sent, deliver
from bot.slack.app import connected
from bot.slack.post import SlackSender
from bot.store.engine import Store
from bot.store.watches import payload_of, untold
from bot.watches.checking import check
from tests.bot.watches.conftest import Market
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tests.standins.slack_answers import NOW, answers_of, empty_store
from tests.standins.slack_people import press


@pytest.fixture
def team(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[Store, Market]:
    monkeypatch.chdir(tmp_path)
    market = Market(tmp_path / "catalog.sqlite")
    monkeypatch.setenv("MUAT_CATALOG", str(tmp_path / "catalog.sqlite"))
    market.sell(2.5, NOW)
    return empty_store(), market


@pytest.fixture
async def slack(team: tuple[Store, Market]) -> AsyncIterator[SlackStandIn]:
    desk = Desk(team[1].prices.catalog_file, 1 / 16667, lambda: NOW)
    async with (
        SlackStandIn() as stand_in,
        connected(
            bot_token=BOT_TOKEN,
            app_token=APP_TOKEN,
            answers=answers_of(desk, team[0]),
            api_url=stand_in.api_url,
        ),
    ):
        await stand_in.connected()
        yield stand_in
        assert stand_in.refusals == [] and stand_in.pings == []


async def said(slack: SlackStandIn, text: str, user: str = "U1") -> str:
    sent = await slack.slash("/watch", text, user=user)
    assert await sent.acknowledged() < 3
    return str((await sent.answer())["blocks"])


@pytest.mark.parametrize(
    ("user", "wish", "made", "listed", "deleted"),
    [
        ("U1", "llama-8b qlora under $2/h", "now $2.50 per hour", "under $2.00", "is deleted"),
        ("U2", "llama-8b qlora di bawah $2/jam", "sekarang $2,50", "di bawah $2,00", "dihapus"),
    ],
)
async def test_a_watch_is_made_listed_and_deleted(
    slack: SlackStandIn, user: str, wish: str, made: str, listed: str, deleted: str
) -> None:
    slack.admins.add("U2")
    assert made in await said(slack, wish, user)
    shown = await said(slack, "list", user)
    assert listed in shown
    key = re.search(r"'([\w-]{12}): ", shown)
    assert key
    assert deleted in await said(slack, f"delete {key[1]}", user)


async def test_a_guest_is_told_who_may(slack: SlackStandIn) -> None:
    assert "yang boleh mengelola" in await said(slack, "llama-8b di bawah $2/jam", "U2")


@pytest.mark.parametrize("user", ["U1", "U2"])
async def test_the_button_under_a_card_watches_its_price(slack: SlackStandIn, user: str) -> None:
    slack.admins.add("U2")
    card = await (await slack.slash("/fit", "llama-8b qlora on 1x a100", user=user)).answer()
    pressed = await press(slack, card, "watch", user=user)
    assert "10 %" in str(await pressed.answer())
    assert ("under" if user == "U1" else "di bawah") in await said(slack, "list", user)


async def test_a_guest_who_presses_it_is_told_who_may(slack: SlackStandIn) -> None:
    card = await (await slack.slash("/fit", "llama-8b qlora on 1x a100", user="U2")).answer()
    pressed = await press(slack, card, "watch", user="U2")
    assert "yang boleh mengelola" in str(await pressed.answer())


@pytest.mark.parametrize("user", ["U1", "U2"])
async def test_the_message_arrives_once_after_a_429(
    slack: SlackStandIn, team: tuple[Store, Market], user: str
) -> None:
    store, market = team
    slack.admins.add("U2")
    await said(slack, "llama-8b qlora under $2/h", user)
    at = NOW + timedelta(days=1)
    market.sell(1.5, at)
    check(store, market.prices, at)
    (crossing,) = untold(store)
    payload = payload_of(store, crossing.key, crossing.number)
    assert payload is not None
    slack.fault("chat.postMessage", 429, retry_after=7)
    sender = SlackSender(BOT_TOKEN, slack.api_url)

    def once() -> object:
        return deliver(store, sender, crossing.key, "watch:1", "C1", payload, at).answer

    answers = [await asyncio.to_thread(once) for _ in range(3)]
    assert answers[0] == Later(7.0)
    assert isinstance(answers[1], Sent) and answers[2] is None
    (post,) = slack.posts
    assert "$1" in str(post["blocks"]) and "llama-8b" in post["text"]
