"""/watch on Discord, from making one to its message, in both languages."""

import asyncio
import re
from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk import Desk
from bot.digests.deliver import Later, Sent, deliver
from bot.discord.post import DiscordSender
from bot.store.engine import open_store
from bot.store.watches import payload_of, untold
from bot.watches.checking import check
from planner.query import Language
from tests.bot.watches.conftest import Market
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_client import NOW, serving
from tests.standins.discord_desks import LANGUAGES, LOCALE, answered
from tests.standins.discord_payloads import CHANNEL_ID

MANAGE_GUILD = str(1 << 5)
WISH = {"en": "llama-8b qlora under $2/h", "id": "llama-8b qlora di bawah $2/jam"}
MADE = {"en": "now $2.50 per hour", "id": "sekarang $2,50 per jam"}
DELETED = {"en": "is deleted", "id": "dihapus"}
REFUSED = {"en": "Only people who may manage", "id": "Hanya yang boleh mengelola"}


@pytest.fixture
def market(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Market:
    monkeypatch.chdir(tmp_path)
    market = Market(tmp_path / "catalog.sqlite")
    monkeypatch.setenv("MUAT_CATALOG", str(tmp_path / "catalog.sqlite"))
    market.sell(2.5, NOW)
    return market


def desk_of(market: Market) -> Desk:
    return Desk(market.prices.catalog_file, 1 / 16667, lambda: NOW)


async def said(server: DiscordStandIn, text: str, language: Language) -> str:
    sent = await answered(
        await server.slash("watch", what=text, locale=LOCALE[language], guild_locale="fr")
    )
    assert sent.ephemeral
    return sent.text


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_watch_is_made_listed_and_deleted(
    market: Market, tmp_path: Path, language: Language
) -> None:
    async with (
        DiscordStandIn() as server,
        serving(desk_of(market), server, folder=tmp_path),
    ):
        server.permissions = MANAGE_GUILD
        assert MADE[language] in await said(server, WISH[language], language)
        shown = await said(server, "list", language)
        key = re.search(r"([\w\\-]{12,}): ", shown)
        assert key
        name = key[1].replace("\\", "")
        assert DELETED[language] in await said(server, f"delete {name}", language)
    assert server.refusals == []


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_guest_is_told_who_may(market: Market, tmp_path: Path, language: Language) -> None:
    async with (
        DiscordStandIn() as server,
        serving(desk_of(market), server, folder=tmp_path),
    ):
        assert REFUSED[language] in await said(server, WISH[language], language)
    assert server.refusals == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("permissions", ["0", MANAGE_GUILD])
async def test_the_button_under_a_card_watches_its_price_for_who_may(
    market: Market, tmp_path: Path, language: Language, permissions: str
) -> None:
    async with (
        DiscordStandIn() as server,
        serving(desk_of(market), server, folder=tmp_path),
    ):
        server.permissions = permissions
        what = "llama-8b qlora on 1x a100"
        card = await answered(await server.slash("fit", what=what, locale=LOCALE[language]))
        pressed = await answered(await server.press(card, "watch", locale=LOCALE[language]))
        allowed = permissions == MANAGE_GUILD
        assert ("10 %" if allowed else REFUSED[language]) in pressed.text
        listed = await said(server, "list", language)
        assert ("llama-8b qlora on 1x a100" in listed) == allowed
    assert server.refusals == []


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_message_arrives_once_after_a_429(
    market: Market, tmp_path: Path, language: Language
) -> None:
    at = NOW + timedelta(days=1)
    async with (
        DiscordStandIn() as server,
        serving(desk_of(market), server, folder=tmp_path),
    ):
        server.permissions = MANAGE_GUILD
        await said(server, WISH[language], language)
        market.sell(1.5, at)
        store = open_store(f"sqlite:///{tmp_path}/team.sqlite")
        check(store, market.prices, at)
        (crossing,) = untold(store)
        payload = payload_of(store, crossing.key, crossing.number)
        assert payload is not None
        server.limit_rate(f"POST channels/{CHANNEL_ID}/messages", 7.0)
        sender = DiscordSender(server.token, server.api_url)

        def once() -> object:
            return deliver(store, sender, crossing.key, "watch:1", CHANNEL_ID, payload, at).answer

        answers = [await asyncio.to_thread(once) for _ in range(3)]
        assert answers[0] == Later(7.0)
        assert isinstance(answers[1], Sent) and answers[2] is None
        (post,) = server.posts
        assert "llama-8b" in str(post["components"])
    assert server.refusals == []
