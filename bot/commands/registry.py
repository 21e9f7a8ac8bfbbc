"""The commands of every surface: each is one file here, registered once."""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import NamedTuple

from bot.cards.card import Card
from bot.grammar.command import Command, CommandName
from planner.query import Language


class Asking(NamedTuple):
    """What a command may use beside its text: the catalog to read, the time, the reader's
    language, and the text as typed.
    """

    catalog_file: Path | None
    now: datetime
    language: Language
    text: str = ""


Answerer = Callable[[Command, Asking], Card]


class CommandSpec(NamedTuple):
    """One command. Its help and example are the words of `commands.<name>_help` and
    `commands.<name>_example`.
    """

    name: CommandName
    answer: Answerer

    @property
    def help_key(self) -> str:
        """Key of the sentence that says what the command answers."""
        return f"commands.{self.name}_help"

    @property
    def example_key(self) -> str:
        """Key of an example that works as typed."""
        return f"commands.{self.name}_example"


_REGISTERED: dict[CommandName, CommandSpec] = {}


def command(name: CommandName) -> Callable[[Answerer], Answerer]:
    """Register the decorated function as the answer to `name`."""

    def register(answer: Answerer) -> Answerer:
        if name in _REGISTERED:
            raise ValueError(f"two commands are called {name}")
        _REGISTERED[name] = CommandSpec(name, answer)
        return answer

    return register


@cache
def all_commands() -> dict[CommandName, CommandSpec]:
    """Every command by name, in the order of their files."""
    for module in iter_modules([str(Path(__file__).parent)]):
        if module.name != "registry":
            import_module(f"bot.commands.{module.name}")
    return dict(_REGISTERED)
