"""Whole conversations on Discord: discord.py's real client against the local Discord."""

import asyncio
import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.cards.card import Card
from bot.cards.fit import fit_card
from bot.cards.notice import notice_card
from bot.cards.sample import sample_card, sample_plan
from bot.desk import Answer, Desk
from bot.language import words
from planner.notes import note
from planner.query import Language
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_client import serving
from tests.standins.discord_rules import COMPONENTS_V2

LOCALES: dict[Language, str] = {"en": "en-US", "id": "id"}
INVOKER = "CommandTree-invoker"  # what discord.py calls the task of one interaction


class ScriptedDesk:
    """Gives the card that `card` makes, once `open` is set; remembers what it was asked."""

    def __init__(self, card: Callable[[], Card] = lambda: sample_card("fit")) -> None:
        self.card = card
        self.open = asyncio.Event()
        self.open.set()
        self.asked: list[tuple[str, Language | None]] = []

    async def answer(self, text: str, *, language: Language | None) -> Answer:
        self.asked.append((text, language))
        await self.open.wait()
        return Answer(self.card(), language or "en")


async def finished() -> None:
    """Return when the client is done with every interaction."""
    await asyncio.gather(*(t for t in asyncio.all_tasks() if t.get_name() == INVOKER))


@pytest.mark.parametrize("language", ["en", "id"])
async def test_fit_is_acknowledged_before_the_desk_answers(language: Language) -> None:
    desk = ScriptedDesk()
    desk.open.clear()
    async with DiscordStandIn() as discord_server, serving(desk, discord_server):
        interaction = await discord_server.slash(
            "fit", what="llama-70b qlora", locale=LOCALES[language]
        )
        await interaction.acknowledged()
        assert interaction.deferred
        assert interaction.ephemeral
        assert interaction.messages == []
        desk.open.set()
        await interaction.answered()
    (message,) = interaction.messages
    assert message["flags"] == COMPONENTS_V2
    assert message["allowed_mentions"] == {"parse": []}
    assert words(language).t("cards.title_rent") in interaction.text
    assert desk.asked == [("/fit llama-70b qlora", language)]
    assert discord_server.refusals == []


@pytest.mark.parametrize(
    ("locale", "guild_locale", "hint"),
    [
        ("id", "en-US", "id"),
        ("en-GB", "id", "en"),
        ("de", "id", "id"),
        ("de", "fr", None),
        ("xx-unheard-of", "en-US", "en"),
    ],
)
async def test_the_askers_language_then_the_servers(
    locale: str, guild_locale: str, hint: Language | None
) -> None:
    desk = ScriptedDesk()
    async with DiscordStandIn() as discord_server, serving(desk, discord_server):
        interaction = await discord_server.slash(
            "fit", what="llama-8b qlora", locale=locale, guild_locale=guild_locale
        )
        await interaction.answered()
    assert desk.asked == [("/fit llama-8b qlora", hint)]


async def test_twenty_at_once_are_all_acknowledged_while_the_desk_is_busy() -> None:
    """D103: how long the answers take never delays an acknowledgement."""
    desk = ScriptedDesk()
    desk.open.clear()
    async with DiscordStandIn() as discord_server, serving(desk, discord_server):
        asked = [await discord_server.slash("fit", what=f"llama-{n}b qlora") for n in range(20)]
        for interaction in asked:
            await interaction.acknowledged()
        assert all(interaction.messages == [] for interaction in asked)
        desk.open.set()
        for interaction in asked:
            await interaction.answered()
    assert all(len(interaction.messages) == 1 for interaction in asked)
    assert discord_server.refusals == []


@pytest.fixture
def real_desk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Desk:
    """The desk of the product over the bundled prices, at noon of a fixed day."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    noon = datetime(2026, 12, 1, 12, tzinfo=UTC)
    return Desk(None, 1 / 16667, lambda: noon)


async def test_fit_is_answered_from_the_shipped_facts(real_desk: Desk) -> None:
    async with DiscordStandIn() as discord_server, serving(real_desk, discord_server):
        interaction = await discord_server.slash("fit", what="llama-70b qlora")
        await interaction.answered()
    (message,) = interaction.messages
    assert discord_server.refusals == []
    assert message["allowed_mentions"] == {"parse": []}
    lines = interaction.text.splitlines()
    assert re.match(r"## (✅|⚠️) ", lines[0])
    assert "70B" in lines[1]
    assert "QLoRA" in lines[1]
    for title in ("title_rent", "title_memory", "label_cheapest_run", "title_checkpoint"):
        assert words("en").t(f"cards.{title}") in interaction.text
    assert "2026-12-01" in interaction.text  # how old the prices are


@pytest.mark.parametrize(
    ("what", "locale"),
    [
        ("llama-70b qlora", "id"),
        ("llama-70b qlora konteks 4096 di 2x a100 selama 5 jam", "en-US"),
    ],
    ids=["asker reads Indonesian", "text is Indonesian"],
)
async def test_fit_in_indonesian(real_desk: Desk, what: str, locale: str) -> None:
    async with DiscordStandIn() as discord_server, serving(real_desk, discord_server):
        interaction = await discord_server.slash("fit", what=what, locale=locale)
        await interaction.answered()
    assert discord_server.refusals == []
    assert len(interaction.messages) == 1
    assert f"**{words('id').t('cards.title_memory')}**" in interaction.text


@pytest.mark.parametrize("command", ["prices", "help"])
@pytest.mark.parametrize("language", ["en", "id"])
async def test_the_other_commands_answer_with_one_card(
    real_desk: Desk, command: str, language: Language
) -> None:
    async with DiscordStandIn() as discord_server, serving(real_desk, discord_server):
        interaction = await discord_server.slash(command, locale=LOCALES[language])
        await interaction.answered()
    title = {"prices": "cards.title_prices", "help": "cards.title_topics"}[command]
    assert interaction.text.startswith(f"## {words(language).t(title)}")
    assert len(interaction.messages) == 1
    assert discord_server.refusals == []


@pytest.mark.parametrize(
    ("what", "named"),
    [("qwertyuiop-9000b qlora", "qwertyuiop"), ("llama-8b lora rank=many", "rank")],
)
async def test_bad_input_is_one_sentence_that_names_it(
    real_desk: Desk, what: str, named: str
) -> None:
    async with DiscordStandIn() as discord_server, serving(real_desk, discord_server):
        interaction = await discord_server.slash("fit", what=what)
        await interaction.answered()
    assert named in interaction.text
    assert interaction.text.endswith((".", "?"))
    assert "Traceback" not in interaction.text
    assert not re.search(r"\b[0-9a-f]{8}\b", interaction.text)  # not the apology of a crash
    assert len(interaction.messages) == 1
    assert discord_server.refusals == []


async def test_a_process_that_is_stopped_finishes_its_answers() -> None:
    desk = ScriptedDesk()
    desk.open.clear()
    async with DiscordStandIn() as discord_server, serving(desk, discord_server):
        interaction = await discord_server.slash("fit", what="llama-70b qlora")
        await interaction.acknowledged()
        asyncio.get_running_loop().call_soon(desk.open.set)  # when the stop is under way
    assert len(interaction.messages) == 1
    assert discord_server.refusals == []


@pytest.mark.parametrize("language", ["en", "id"])
async def test_a_crash_gives_an_apology_with_an_id_that_is_in_the_log(
    language: Language, caplog: pytest.LogCaptureFixture
) -> None:
    def crash() -> Card:
        raise RuntimeError("a fault in the planner")

    desk = ScriptedDesk(crash)
    async with DiscordStandIn() as discord_server, serving(desk, discord_server):
        failed = await discord_server.slash("fit", what="x", locale=LOCALES[language])
        await failed.answered()
        desk.card = lambda: sample_card("fit")
        again = await discord_server.slash("fit", what="llama-70b qlora")
        await again.answered()
    (error_id,) = re.findall(r"\b[0-9a-f]{8}\b", failed.text)
    assert failed.text == words(language).t("discord.apology", error_id=error_id)
    assert len(failed.messages) == 1
    assert f"Error {error_id}" in caplog.text
    assert "a fault in the planner" in caplog.text
    assert discord_server.refusals == []


async def test_a_card_that_discord_refuses_ends_in_an_apology(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = ScriptedDesk()
    async with DiscordStandIn() as discord_server, serving(desk, discord_server):
        edit = "PATCH webhooks/100000000000000001/interaction-token-1/messages/@original"
        discord_server.refuse(edit, 400, 50035, "Invalid Form Body")
        interaction = await discord_server.slash("fit", what="llama-70b qlora")
        await interaction.answered()
    assert re.search(r"\b[0-9a-f]{8}\b", interaction.text)
    assert "Invalid Form Body" in caplog.text


async def test_an_interaction_that_came_too_late_is_dropped(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = ScriptedDesk()
    async with DiscordStandIn() as discord_server, serving(desk, discord_server):
        late = await discord_server.slash("fit", what="llama-70b qlora", seconds_ago=4)
        in_time = await discord_server.slash("fit", what="llama-8b lora")
        await in_time.answered()
        await finished()
    assert late.messages == []
    assert [text for text, _ in desk.asked] == ["/fit llama-8b lora"]
    assert len(discord_server.refusals) == 1
    assert f"{late.id} dropped" in caplog.text


async def test_an_answer_after_the_token_expired_is_dropped(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = ScriptedDesk()
    desk.open.clear()
    async with DiscordStandIn() as discord_server, serving(desk, discord_server):
        expired = await discord_server.slash("fit", what="llama-70b qlora")
        await expired.acknowledged()
        discord_server.now += 15 * 60 + 1
        desk.open.set()
        in_time = await discord_server.slash("fit", what="llama-8b lora")
        await in_time.answered()
        await finished()
    assert expired.messages == []
    assert f"{expired.id} dropped" in caplog.text
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


HOSTILE = {
    "everyone": "@everyone",
    "here": "@here",
    "nested everyone": "@@everyoneeveryone",
    "role": "<@&123456>",
    "user": "<@!123456> <#1> </fit:1>",
    "backticks": "```\n`code`",
    "right to left": "\u202egnp.exe\u2066",
    "escape sequence": "\x1b[31mred\x07",
    "link": "[free GPUs](https://example.com) ||spoiler||",
    "long": "x" * 300,
    "emoji": "🦙" * 100,
}


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("kind", ["fit", "notice"])
async def test_a_hostile_name_is_harmless(name: str, kind: str) -> None:
    """D114, D115, D133: text that people typed pings nobody, formats nothing and fits."""

    def card() -> Card:
        if kind == "fit":
            return fit_card(sample_plan(), name)
        return notice_card((note("discord.apology", error_id=name),), "warning")

    async with DiscordStandIn() as discord_server, serving(ScriptedDesk(card), discord_server):
        interaction = await discord_server.slash("fit", what=f"{name} qlora")
        await interaction.answered()
    (message,) = interaction.messages
    assert message["allowed_mentions"] == {"parse": []}
    assert discord_server.refusals == []
    bare = re.sub(r"\\.", "", interaction.text)  # without what a backslash keeps harmless
    assert not re.search(r"@(everyone|here)|<[@#/]|\]\(|\|\|", bare)
    assert not re.search(r"[\u202a-\u202e\u2066-\u2069\x1b\x07]", bare)
    assert bare.count("`") == (6 if kind == "fit" else 0)  # the memory block's own
