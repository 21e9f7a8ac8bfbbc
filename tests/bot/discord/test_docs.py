"""docs/discord.md: its steps, tried one by one as far as they can be without Discord itself."""

import re
from pathlib import Path

import pytest

from bot.cli import run
from bot.deployment import Settings
from bot.language import LANGUAGES, words
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_client import serving
from tests.standins.discord_desks import real_desk

PAGE = (Path(__file__).parents[3] / "docs" / "discord.md").read_text(encoding="utf-8")
TOKEN = "MTAwMDAwMDAwMDAwMDAwMDAx.Gabcde.x" + "y" * 37


@pytest.mark.usefixtures("empty_folder")
def test_the_commands_of_the_page_exist(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(re.findall(r"\.venv/bin/muat (.+)", PAGE)) == {"discord", "discord invite"}
    monkeypatch.setenv("MUAT_DISCORD_TOKEN", TOKEN)
    assert run(["discord", "invite"]) == 0
    assert capsys.readouterr().out.startswith("https://discord.com/")


async def test_the_question_of_the_page_is_answered_and_needs_no_privileged_intent() -> None:
    question = re.search(r"/fit what: (.+)", PAGE)
    assert question
    async with DiscordStandIn() as server, serving(real_desk(), server):
        answer = await server.slash("fit", what=question[1])
        await answer.answered()
    assert "A100" in answer.text
    assert server.refusals == []


async def test_everything_named_on_the_page_is_offered() -> None:
    async with DiscordStandIn() as server, serving(real_desk(), server):
        commands = {command["name"]: command for command in server.commands}
    assert "*Will this fit?*" in PAGE and "Will this fit?" in commands
    assert "`/muat settings`" in PAGE
    assert [one["name"] for one in commands["muat"]["options"]] == ["help", "settings"]
    assert f"`/{commands['fit']['name_localizations']['id']}`" in PAGE
    for button in (
        "change",
        "cheaper",
        "faster",
        "compare",
        "watch",
        "recipe",
        "explain",
        "more",
        "share",
    ):
        assert f"*{words('en').t(f'actions.button_{button}')}*" in PAGE


@pytest.mark.parametrize(
    "code",
    [
        "discord.missing_token",
        "discord.refused_token",
        "discord.token_unreadable",
        "actions.too_old",
    ],
)
def test_the_messages_it_explains_are_said_in_both_languages(code: str) -> None:
    said = {words(language).t(code) for language in LANGUAGES}
    assert len(said) == 2
    quoted = re.findall(r'^\| "([^"]+)"', PAGE, re.MULTILINE)
    assert any(quote in one for one in said for quote in quoted)


def test_every_setting_exists() -> None:
    named = re.findall(r"^\| `MUAT_(\w+)` \|", PAGE, re.MULTILINE)
    assert {name.lower() for name in named} <= set(Settings.model_fields)
    assert "discord_token" in {name.lower() for name in named}
