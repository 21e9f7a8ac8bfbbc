"""The commands as members of a server use them, in simcord's Discord."""

from pathlib import Path

import pytest
import simcord
from discord import app_commands

from bot.cards.sample import sample_card
from bot.desk import Answer
from bot.discord.client import build_client
from planner.query import Language
from tests.standins.discord_client import answers_of


class EchoDesk:
    """Remembers the texts and answers with a sample."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def answer(self, text: str, *, language: Language | None) -> Answer:
        self.texts.append(text)
        if "crash" in text:
            raise RuntimeError(text)
        return Answer(sample_card("fit"), language or "en")


async def test_fit_is_answered_privately_with_one_card() -> None:
    desk = EchoDesk()
    async with simcord.run(build_client(answers_of(desk))) as env:
        guild = env.create_guild()
        channel = guild.create_text_channel("gpu")
        rani = guild.add_member(env.create_user("rani"))
        result = await rani.slash(channel, "fit", what="llama-70b qlora")
        assert result.ephemeral
        assert result.response is not None
        assert result.response.flags.components_v2
        assert result.response.content == ""
        assert [one["type"] for one in result.response.components] == [17, 1, 1]
        assert result.followups == []
    assert desk.texts == ["/fit llama-70b qlora"]


async def test_fit_works_in_a_direct_message_too() -> None:
    desk = EchoDesk()
    async with simcord.run(build_client(answers_of(desk))) as env:
        result = await env.create_user("rani").slash("fit", what="llama-8b lora")
        assert result.response is not None
        assert not result.ephemeral
        assert "muat:share" not in str(result.response.components)
    assert desk.texts == ["/fit llama-8b lora"]


async def test_a_mention_and_a_direct_message_are_answered(tmp_path: Path) -> None:
    desk = EchoDesk()
    bot = build_client(answers_of(desk, tmp_path))
    async with simcord.run(bot) as env:
        guild = env.create_guild()
        channel = guild.create_text_channel("gpu")
        rani = guild.add_member(env.create_user("rani"))
        assert bot.user is not None
        await rani.send(channel, f"<@{bot.user.id}> llama-8b qlora on 4090?")
        await rani.send(channel, "nothing for a bot")
        await rani.send_dm("llama-8b lora")
        await env.settle()
    assert desk.texts == ["llama-8b qlora on 4090?", "llama-8b lora"]


async def test_a_message_command_reads_the_message() -> None:
    desk = EchoDesk()
    async with simcord.run(build_client(answers_of(desk))) as env:
        guild = env.create_guild()
        channel = guild.create_text_channel("gpu")
        rani = guild.add_member(env.create_user("rani"))
        written = await rani.send(channel, "llama-8b qlora on my 4090")
        result = await rani.context_menu(channel, "Will this fit?", written)
        assert result.ephemeral
    assert desk.texts == ["/fit llama-8b qlora on my 4090"]


async def test_fit_asks_for_its_text() -> None:
    async with simcord.run(build_client(answers_of(EchoDesk()))) as env:
        guild = env.create_guild()
        channel = guild.create_text_channel("gpu")
        rani = guild.add_member(env.create_user("rani"))
        with pytest.raises(simcord.SetupError, match="what"):
            await rani.slash(channel, "fit")


async def test_a_crash_leaves_the_client_running() -> None:
    """D107: one failure, whatever it is, ends nothing but its own answer."""
    async with simcord.run(build_client(answers_of(EchoDesk()))) as env:
        guild = env.create_guild()
        channel = guild.create_text_channel("gpu")
        rani = guild.add_member(env.create_user("rani"))
        failed = await rani.slash(channel, "fit", what="crash")
        answered = await rani.slash(channel, "fit", what="llama-8b lora")
        assert failed.response is not None
        assert "crash" not in str(failed.response.components)
        assert answered.response is not None
        (error,) = env.errors
    assert isinstance(error, app_commands.CommandInvokeError)
