"""Who asks, where, and in which language: what an answer on Discord depends on beside its text."""

from typing import Any, NamedTuple

import discord
from discord import Interaction, Locale

from bot.language import LANGUAGES
from bot.store.engine import Store
from bot.store.team_settings import Where, settings_of
from planner.query import Language

LANGUAGE_OF: dict[Locale, Language] = {
    Locale.indonesian: "id",
    Locale.american_english: "en",
    Locale.british_english: "en",
}


class Asker(NamedTuple):
    """The person who asks and the place: `server` is "" in a direct message, `name` is as people
    see it there, `language` what Discord tells of the reader's.
    """

    person: str
    name: str
    server: str
    channel: str
    language: Language | None

    @property
    def where(self) -> Where:
        """Whose settings hold."""
        return Where("discord", self.server, self.channel)


def asker_of(interaction: Interaction[Any]) -> Asker:
    """Who uses a command, presses a button or sends a form."""
    return Asker(
        person=str(interaction.user.id),
        name=interaction.user.display_name,
        server=str(interaction.guild_id or ""),
        channel=str(interaction.channel_id or ""),
        language=language_hint(interaction),
    )


def author_of(message: discord.Message) -> Asker:
    """Who writes a message."""
    server = message.guild
    # A server that is not loaded yet is known by its channel alone.
    number = server.id if server else getattr(message.channel, "guild_id", None)
    return Asker(
        person=str(message.author.id),
        name=message.author.display_name,
        server=str(number or ""),
        channel=str(message.channel.id),
        language=LANGUAGE_OF.get(server.preferred_locale) if server else None,
    )


def is_direct(message: discord.Message) -> bool:
    """Whether a message was sent to the bot alone."""
    return isinstance(message.channel, discord.DMChannel)


def has_company(interaction: Interaction[Any]) -> bool:
    """Whether others read along there: everywhere but in direct messages with the bot."""
    return not interaction.context.dm_channel


def language_hint(interaction: Interaction[Any]) -> Language | None:
    """The language of the asker's Discord, else of the server; None when neither is one of ours."""
    places = (interaction.locale, interaction.guild_locale)
    return next((LANGUAGE_OF[place] for place in places if place in LANGUAGE_OF), None)


def language_for(store: Store, asker: Asker) -> Language | None:
    """The language to answer `asker` in: what the channel or server has set, else Discord's."""
    if not asker.server:
        return asker.language
    wanted = settings_of(store, asker.where).get("language")
    return next((known for known in LANGUAGES if known == wanted), asker.language)
