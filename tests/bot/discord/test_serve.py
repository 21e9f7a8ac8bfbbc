"""The Discord process: tokens, registering commands, reconnections, and what reaches the log."""

import logging
from typing import Any

import pytest

from bot.cards.notice import notice_card
from bot.commands.registry import all_commands
from bot.desk import Answer
from bot.discord.client import serve
from planner.errors import BadInput
from planner.notes import note
from planner.query import Language
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_client import answers_of, serving

READ = "GET applications/100000000000000001/commands"
WRITE = "PUT applications/100000000000000001/commands"


class SmallDesk:
    """Says one sentence to everything."""

    async def answer(self, text: str, *, language: Language | None) -> Answer:
        return Answer(notice_card((note("commands.opening"),), "neutral"), "en")


@pytest.mark.parametrize("token", [None, ""])
async def test_a_missing_token_is_named(token: str | None) -> None:
    with pytest.raises(BadInput) as caught:
        await serve(token=token, answers=answers_of(SmallDesk()))
    assert caught.value.note.code == "discord.missing_token"


async def test_a_token_that_discord_refuses_is_one_sentence_to_the_operator() -> None:
    async with DiscordStandIn() as discord_server:
        with pytest.raises(BadInput) as caught:
            async with serving(SmallDesk(), discord_server, token="outdated"):
                pass
    assert caught.value.note.code == "discord.refused_token"


async def test_a_token_that_is_reset_ends_the_process_with_one_sentence() -> None:
    async with DiscordStandIn() as discord_server:
        with pytest.raises(BadInput) as caught:
            async with serving(SmallDesk(), discord_server) as process:
                discord_server.token = "new"
                await discord_server.reconnect()
                await process
    assert caught.value.note.code == "discord.refused_token"


async def test_a_discord_that_cannot_be_reached_is_named() -> None:
    async with DiscordStandIn() as discord_server:
        gone = discord_server.api_url
    with pytest.raises(BadInput) as caught:
        async with serving(SmallDesk(), discord_server):
            pass
    assert caught.value.note.code == "discord.unreachable"
    assert caught.value.note.values["url"] == gone


async def test_only_intents_that_need_no_approval_are_asked_for() -> None:
    async with DiscordStandIn() as discord_server, serving(SmallDesk(), discord_server):
        (identify,) = discord_server.identifies
    assert identify["intents"] == 1 | 1 << 9 | 1 << 12  # servers, their messages, direct messages
    assert discord_server.refusals == []


async def test_commands_are_registered_in_both_languages() -> None:
    async with DiscordStandIn() as discord_server, serving(SmallDesk(), discord_server):
        commands = {command["name"]: command for command in discord_server.commands}
    assert set(commands) == {*all_commands(), "muat", "Will this fit?"}
    assert commands["fit"]["name_localizations"] == {"id": "cek"}
    assert commands.pop("Will this fit?")["name_localizations"] == {"id": "Muat nggak?"}
    for command in commands.values():
        for part in (command, *command["options"]):
            assert set(part["name_localizations"]) == {"id"}
            assert set(part["description_localizations"]) == {"id"}
            for words in (part["description"], part["description_localizations"]["id"]):
                assert " " in words, f"{words} is no sentence"


async def test_fit_needs_its_text_prices_may_have_one_and_help_has_none() -> None:
    async with DiscordStandIn() as discord_server, serving(SmallDesk(), discord_server):
        options = {one["name"]: one.get("options", []) for one in discord_server.commands}
    needed, possible = options["fit"][0], options["prices"][0]
    assert (needed["name"], needed["name_localizations"]) == ("what", {"id": "apa"})
    assert needed["required"] is True
    assert possible["required"] is False
    assert options["help"] == []


async def test_options_spare_typing_and_are_completed() -> None:
    async with DiscordStandIn() as discord_server, serving(SmallDesk(), discord_server):
        options = {one["name"]: one.get("options", []) for one in discord_server.commands}
    completed = {
        (name, option["name"]): bool(option.get("autocomplete"))
        for name, offered in options.items()
        for option in offered
    }
    assert [option["name"] for option in options["fit"]] == ["what", "method", "gpu", "gpus"]
    assert completed["fit", "what"]
    assert completed["fit", "method"]
    assert completed["fit", "gpu"]
    assert completed["prices", "gpu"]
    assert not completed["fit", "gpus"]


async def test_an_unchanged_set_of_commands_is_not_written_again() -> None:
    """D110: neither ten reconnections nor a restart burn Discord's daily quota."""
    async with DiscordStandIn() as discord_server:
        async with serving(SmallDesk(), discord_server):
            for _ in range(10):
                await discord_server.reconnect()
                await discord_server.connected()
        async with serving(SmallDesk(), discord_server):
            pass
    assert discord_server.resumes == 10
    assert discord_server.requests.count(READ) == 2
    assert discord_server.requests.count(WRITE) == 1
    assert discord_server.refusals == []


@pytest.mark.parametrize(
    "change",
    [
        {"description": "What it said last year"},
        {"description_localizations": {"id": "Kalimat tahun lalu"}},
        {"options": [{"name": "old", "description": "Gone", "type": 3}]},
        {"name": "retired"},
    ],
)
async def test_a_changed_command_is_written(change: dict[str, Any]) -> None:
    async with DiscordStandIn() as discord_server:
        async with serving(SmallDesk(), discord_server):
            wanted = list(discord_server.commands)
        discord_server.commands[0] = {**discord_server.commands[0], **change}
        async with serving(SmallDesk(), discord_server):
            pass
    assert discord_server.commands == wanted
    assert discord_server.requests.count(WRITE) == 2


async def test_all_commands_go_to_every_server_at_once() -> None:
    """D112: one global registration, none per server."""
    async with DiscordStandIn() as discord_server, serving(SmallDesk(), discord_server):
        pass
    assert [path for path in discord_server.requests if "guilds" in path] == []


async def test_a_bot_that_cannot_register_still_answers(caplog: pytest.LogCaptureFixture) -> None:
    async with DiscordStandIn() as discord_server:
        async with serving(SmallDesk(), discord_server):
            pass
        discord_server.commands[0] = {**discord_server.commands[0], "description": "Old"}
        discord_server.refuse(WRITE, 429, 30034, "Max number of daily application command creates")
        async with serving(SmallDesk(), discord_server):
            interaction = await discord_server.slash("fit", what="llama-8b qlora")
            await interaction.answered()
    assert "did not take the slash commands" in caplog.text


async def test_no_token_reaches_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """D130: neither the bot's token nor an interaction's, even at the most talkative level."""
    caplog.set_level(logging.DEBUG)
    async with DiscordStandIn() as discord_server, serving(SmallDesk(), discord_server):
        interaction = await discord_server.slash("fit", what="llama-8b qlora")
        await interaction.answered()
    assert "connected to Gateway" in caplog.text
    assert discord_server.token not in caplog.text
    assert interaction.token not in caplog.text
