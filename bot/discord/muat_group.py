"""/muat help and /muat settings: what a server, or one of its channels, has set. Who may manage the
server may change it; whatever Discord shows to whom, the permission is checked here.
"""

import asyncio
from typing import Any

from discord import Interaction, app_commands

from bot.discord.answers import Answers
from bot.discord.asking import Asker, asker_of
from bot.discord.commands import Answering, localised
from bot.discord.showing import tell
from bot.language import LANGUAGES, words
from bot.store.team_settings import Where, set_value, settings_of
from bot.store.unasked import SETTING as UNASKED
from bot.store.unasked import YES
from planner.query import Language

LANGUAGE = "language"
_READERS_OWN = "reader"


class MuatGroup(app_commands.Group):
    """The commands of /muat."""

    def __init__(self, answers: Answers, answer: Answering) -> None:
        super().__init__(
            name=localised("discord.muat_name"),
            description=localised("discord.muat_help"),
            allowed_contexts=app_commands.AppCommandContext(guild=True),
        )
        self._answers = answers
        self.add_command(_help_command(answer))
        self.add_command(self._settings_command())

    def _settings_command(self) -> app_commands.Command[Any, ..., None]:
        async def settings(
            interaction: Interaction[Any],
            language: app_commands.Choice[str] | None = None,
            here: bool = False,
            unasked: bool | None = None,
        ) -> None:
            if unasked is None:
                await self._answer(interaction, language.value if language else None, here)
            else:
                await self._set_unasked(interaction, unasked)

        values = (*LANGUAGES, _READERS_OWN)
        app_commands.choices(
            language=[
                app_commands.Choice(name=localised(f"discord.language_{one}"), value=one)
                for one in values
            ]
        )(settings)
        names = {one: localised(f"discord.{one}") for one in ("language", "here", "unasked")}
        app_commands.rename(**names)(settings)
        whats = {one: localised(f"discord.{one}_what") for one in ("language", "here", "unasked")}
        app_commands.describe(**whats)(settings)
        return app_commands.Command(
            name=localised("discord.settings_name"),
            description=localised("discord.settings_help"),
            callback=settings,
        )

    async def _answer(self, interaction: Interaction[Any], wanted: str | None, here: bool) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        asker = asker_of(interaction)
        if wanted is None:
            code = "discord.settings_now"
        elif not interaction.permissions.manage_guild:
            code = "discord.settings_refused"
        else:
            await asyncio.to_thread(self._set, wanted, asker, here)
            code = "discord.settings_set"
        say = words(await self._answers.language(asker))
        shown = await asyncio.to_thread(self._language_now, asker)
        language = say.t(f"discord.language_{shown}")
        await tell(interaction, say.t(code, language=language))

    async def _set_unasked(self, interaction: Interaction[Any], wanted: bool) -> None:
        """Whether questions in this channel are answered although nobody asks Muat."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        asker = asker_of(interaction)
        say = words(await self._answers.language(asker))
        if not interaction.permissions.manage_guild:
            language = say.t(f"discord.language_{await self._answers.language(asker)}")
            await tell(interaction, say.t("discord.settings_refused", language=language))
            return
        value = YES if wanted else None
        await asyncio.to_thread(
            lambda: set_value(
                self._answers.store,
                asker.where,
                UNASKED,
                value,
                by=asker.person,
                now=self._answers.now(),
            )
        )
        await tell(interaction, say.t("discord.unasked_on" if wanted else "discord.unasked_off"))

    def _set(self, wanted: str, asker: Asker, here: bool) -> None:
        """Set the language of the server, or of the channel the asker is `here` in."""
        where = asker.where if here else Where("discord", asker.server)
        value = None if wanted == _READERS_OWN else wanted
        set_value(
            self._answers.store, where, LANGUAGE, value, by=asker.person, now=self._answers.now()
        )

    def _language_now(self, asker: Asker) -> Language | str:
        return settings_of(self._answers.store, asker.where).get(LANGUAGE, _READERS_OWN)


def _help_command(answer: Answering) -> app_commands.Command[Any, ..., None]:
    async def show_help(interaction: Interaction[Any]) -> None:
        await answer(interaction, "/help")

    return app_commands.Command(
        name=localised("discord.help_name"),
        description=localised("commands.help_help"),
        callback=show_help,
    )
