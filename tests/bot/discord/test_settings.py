"""What a server has set for Muat, and who may change it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import discord
import simcord
from discord import app_commands

from bot.desk import Answer
from bot.discord.client import build_client
from bot.language import words
from bot.store.engine import open_store
from bot.store.team_settings import Where
from bot.store.unasked import is_wanted
from planner.query import Language
from tests.bot.discord.test_client import EchoDesk
from tests.standins.discord_client import answers_of


class HeardDesk(EchoDesk):
    """Remembers the language it was asked to answer in."""

    def __init__(self) -> None:
        super().__init__()
        self.languages: list[Language | None] = []

    async def answer(self, text: str, *, language: Language | None) -> Answer:
        self.languages.append(language)
        return await super().answer(text, language=language)


class Place:
    """A server with two channels, somebody who manages it and somebody who does not."""

    def __init__(self, env: simcord.Env, desk: HeardDesk) -> None:
        guild = env.create_guild()
        self.desk = desk
        self.gpu = guild.create_text_channel("gpu")
        self.other = guild.create_text_channel("other")
        manages = guild.create_role("lead", permissions=discord.Permissions(manage_guild=True))
        self.lead = guild.add_member(env.create_user("lead"), roles=[manages])
        self.rani = guild.add_member(env.create_user("rani"))


@asynccontextmanager
async def a_place(folder: Path) -> AsyncIterator[Place]:
    desk = HeardDesk()
    async with simcord.run(build_client(answers_of(desk, folder))) as env:
        yield Place(env, desk)


def text_of(result: simcord.InteractionResult) -> str:
    assert result.response is not None
    return str(result.response.components)


async def test_a_server_sets_the_language_of_its_answers(tmp_path: Path) -> None:
    async with a_place(tmp_path) as place:
        done = await place.lead.slash(place.gpu, "muat settings", language="id")
        await place.rani.slash(place.other, "fit", what="llama-8b qlora")
        assert done.ephemeral
        assert words("id").t("discord.language_id") in text_of(done)
        assert place.desk.languages == ["id"]


async def test_a_channel_may_differ_and_go_back(tmp_path: Path) -> None:
    async with a_place(tmp_path) as place:
        await place.lead.slash(place.gpu, "muat settings", language="id")
        await place.lead.slash(place.gpu, "muat settings", language="en", here=True)
        await place.rani.slash(place.gpu, "fit", what="llama-8b qlora")
        await place.rani.slash(place.other, "fit", what="llama-8b qlora")
        await place.lead.slash(place.gpu, "muat settings", language="reader", here=True)
        await place.rani.slash(place.gpu, "fit", what="llama-8b qlora")
        assert place.desk.languages == ["en", "id", "id"]


async def test_only_who_manages_the_server_changes_it(tmp_path: Path) -> None:
    async with a_place(tmp_path) as place:
        refused = await place.rani.slash(place.gpu, "muat settings", language="id")
        seen = await place.rani.slash(place.gpu, "muat settings")
        readers_own = words("en").t("discord.language_reader")
        assert words("en").t("discord.settings_refused", language=readers_own) in text_of(refused)
        assert words("en").t("discord.settings_now", language=readers_own) in text_of(seen)
        await place.rani.slash(place.gpu, "fit", what="llama-8b qlora")
        assert place.desk.languages == ["en"]


def test_settings_are_of_servers_alone() -> None:
    group = build_client(answers_of(EchoDesk())).tree.get_command("muat")
    assert isinstance(group, app_commands.Group)
    assert group.allowed_contexts is not None
    assert group.allowed_contexts.dm_channel is not True


async def test_muat_help_is_the_help(tmp_path: Path) -> None:
    async with a_place(tmp_path) as place:
        await place.rani.slash(place.gpu, "muat help")
        assert place.desk.texts == ["/help"]


async def test_who_manages_the_server_lets_a_channel_be_answered_unasked(tmp_path: Path) -> None:
    async with a_place(tmp_path) as place:
        refused = await place.rani.slash(place.gpu, "muat settings", unasked=True)
        done = await place.lead.slash(place.gpu, "muat settings", unasked=True)
        store = open_store(f"sqlite:///{tmp_path}/team.sqlite")
        where = Where("discord", str(place.gpu.guild.id), str(place.gpu.id))
        assert words("en").t("discord.unasked_on") in text_of(done)
        assert words("en").t("discord.unasked_on") not in text_of(refused)
        assert is_wanted(store, where)
        assert not is_wanted(store, where._replace(channel=str(place.other.id)))
        await place.lead.slash(place.gpu, "muat settings", unasked=False)
        assert not is_wanted(store, where)
