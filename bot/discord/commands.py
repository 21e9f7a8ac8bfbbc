"""The slash commands as Discord shows them: words in two languages, and one line of free text."""

from collections.abc import Awaitable, Callable
from typing import Any

from discord import Interaction, Locale, app_commands

from bot.commands.registry import CommandSpec
from bot.grammar.command import CommandName
from bot.language import DEFAULT_LANGUAGE, words
from planner.query import Language

MAX_TEXT = 500
WITHOUT_TEXT: set[CommandName] = {"help"}
TEXT_OPTIONAL: set[CommandName] = {"prices"}
LANGUAGE_OF: dict[Locale, Language] = {
    Locale.indonesian: "id",
    Locale.american_english: "en",
    Locale.british_english: "en",
}

Answering = Callable[[Interaction[Any], str], Awaitable[None]]
SlashCommand = app_commands.Command[Any, ..., None]
Text = app_commands.Range[str, 1, MAX_TEXT]


class WordsTranslator(app_commands.Translator):
    """Adds the Indonesian names and descriptions; what the payload itself says is English."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        """The words for `string` in `locale`, None where English serves."""
        language = LANGUAGE_OF.get(locale, DEFAULT_LANGUAGE)
        if language == DEFAULT_LANGUAGE:
            return None
        return words(language).t(string.extras["key"])


def slash_command(spec: CommandSpec, answer: Answering) -> SlashCommand:
    """`spec` as a slash command; beside its help, its words are discord.<name>_name and _what."""
    callback = _callback(spec.name, answer)
    if spec.name not in WITHOUT_TEXT:
        app_commands.rename(what=_words("discord.what"))(callback)
        app_commands.describe(what=_words(f"discord.{spec.name}_what"))(callback)
    return app_commands.Command(
        name=_words(f"discord.{spec.name}_name"),
        description=_words(spec.help_key),
        callback=callback,
    )


def _callback(name: CommandName, answer: Answering) -> Any:
    """What runs for the command; discord.py reads its options from the signature."""

    async def with_text(interaction: Interaction[Any], what: Text) -> None:
        await answer(interaction, f"/{name} {what}")

    async def with_or_without(interaction: Interaction[Any], what: Text | None = None) -> None:
        await answer(interaction, f"/{name} {what}" if what else f"/{name}")

    async def without_text(interaction: Interaction[Any]) -> None:
        await answer(interaction, f"/{name}")

    if name in WITHOUT_TEXT:
        return without_text
    return with_or_without if name in TEXT_OPTIONAL else with_text


def _words(key: str) -> app_commands.locale_str:
    return app_commands.locale_str(words(DEFAULT_LANGUAGE).t(key), key=key)


def language_hint(interaction: Interaction[Any]) -> Language | None:
    """The language of the asker's Discord, else of the server; None when neither is one of ours."""
    places = (interaction.locale, interaction.guild_locale)
    return next((LANGUAGE_OF[place] for place in places if place in LANGUAGE_OF), None)
