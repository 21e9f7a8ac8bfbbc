"""The slash commands as Discord shows them: words in two languages, one line of free text, and
typed options beside it where they spare typing.
"""

import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import discord
from discord import Interaction, Locale, app_commands

from bot.commands.registry import CommandSpec
from bot.discord.asking import LANGUAGE_OF
from bot.escaping import clean, clip
from bot.grammar.command import CommandName
from bot.language import DEFAULT_LANGUAGE, words
from bot.limits import limit
from bot.suggestions import Kind, Suggestion, complete, suggest

MAX_TEXT = 500
MAX_CHOICES = limit("discord", "choices of an option")
MAX_CHOICE = limit("discord", "choice text")
MOST_GPUS = 1024
WITHOUT_TEXT: set[CommandName] = {"help"}
TEXT_OPTIONAL: set[CommandName] = {"prices", "digest", "watch"}
#: Commands about a training job: its method and machine can be chosen instead of written.
OF_A_JOB: set[CommandName] = {"fit", "recipe"}
#: Commands whose text names no model, method or GPU.
IN_PROSE: set[CommandName] = {"ask", "digest"}

Answering = Callable[[Interaction[Any], str], Awaitable[None]]
AnsweringMessage = Callable[[Interaction[Any], discord.Message], Awaitable[None]]
SlashCommand = app_commands.Command[Any, ..., None]
Choices = list[app_commands.Choice[str]]
Text = app_commands.Range[str, 1, MAX_TEXT]
Name = app_commands.Range[str, 1, MAX_CHOICE]
Count = app_commands.Range[int, 1, MOST_GPUS]

log = logging.getLogger(__name__)


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
    options = _described(callback, spec.name)
    command: SlashCommand = app_commands.Command(
        name=localised(f"discord.{spec.name}_name"),
        description=localised(spec.help_key),
        callback=callback,
    )
    if "what" in options and spec.name not in IN_PROSE:
        command.autocomplete("what")(_completing)
    if "method" in options:
        command.autocomplete("method")(_suggesting("method"))
    if "gpu" in options:
        command.autocomplete("gpu")(_suggesting("gpu"))
    return command


def message_command(answer: AnsweringMessage) -> app_commands.ContextMenu:
    """ "Will this fit?" over any message: Discord sends its text along with the command."""

    async def will_this_fit(interaction: Interaction[Any], message: discord.Message) -> None:
        await answer(interaction, message)

    return app_commands.ContextMenu(name=localised("discord.will_this_fit"), callback=will_this_fit)


def localised(key: str) -> app_commands.locale_str:
    """The words of `key`, English with the others behind them."""
    return app_commands.locale_str(words(DEFAULT_LANGUAGE).t(key), key=key)


def _described(callback: Any, name: CommandName) -> set[str]:
    """Name and describe the options of `callback`; gives their names."""
    options = set(callback.__annotations__) - {"interaction", "return"}
    described = {option: f"discord.{option}_what" for option in options}
    if "what" in options:
        described["what"] = f"discord.{name}_what"
    if options:
        app_commands.rename(**{one: localised(f"discord.{one}") for one in options})(callback)
        app_commands.describe(**{one: localised(key) for one, key in described.items()})(callback)
    return options


def _callback(name: CommandName, answer: Answering) -> Any:
    """What runs for the command; discord.py reads its options from the signature."""

    async def about_a_job(
        interaction: Interaction[Any],
        what: Text,
        method: Name | None = None,
        gpu: Name | None = None,
        gpus: Count | None = None,
    ) -> None:
        await answer(interaction, _line(name, what, method, _machine(gpu, gpus)))

    async def about_prices(
        interaction: Interaction[Any], what: Text | None = None, gpu: Name | None = None
    ) -> None:
        await answer(interaction, _line(name, gpu, what))

    async def with_text(interaction: Interaction[Any], what: Text) -> None:
        await answer(interaction, _line(name, what))

    async def with_or_without(interaction: Interaction[Any], what: Text | None = None) -> None:
        await answer(interaction, _line(name, what))

    async def without_text(interaction: Interaction[Any]) -> None:
        await answer(interaction, _line(name))

    if name in OF_A_JOB:
        return about_a_job
    if name == "prices":
        return about_prices
    if name in WITHOUT_TEXT:
        return without_text
    return with_or_without if name in TEXT_OPTIONAL else with_text


def _line(name: CommandName, *parts: str | None) -> str:
    """The text that these options stand for."""
    return " ".join([f"/{name}", *(part for part in parts if part)])


def _machine(gpu: str | None, count: int | None) -> str | None:
    if gpu is None:
        return f"gpus={count}" if count else None
    return f"on {count}x {gpu}" if count else f"on {gpu}"


async def _completing(interaction: Interaction[Any], current: str) -> Choices:
    return _choices(lambda: complete(current, MAX_CHOICES))


def _suggesting(kind: Kind) -> Callable[[Interaction[Any], str], Coroutine[Any, Any, Choices]]:
    async def suggesting(interaction: Interaction[Any], current: str) -> Choices:
        return _choices(lambda: suggest(kind, current, MAX_CHOICES))

    return suggesting


def _choices(find: Callable[[], tuple[Suggestion, ...]]) -> Choices:
    """What Discord takes of the suggestions found; typing goes on where there are none."""
    try:
        return [
            app_commands.Choice(name=clip(clean(one.shown), MAX_CHOICE), value=one.value)
            for one in find()
            if len(one.value) <= MAX_CHOICE
        ]
    except Exception:  # nobody can read an error between two letters
        log.exception("No suggestions while somebody types on Discord")
        return []
