"""/help: what Muat answers, with examples that work as typed."""

from bot.cards.bodies import Topic
from bot.cards.card import Card
from bot.cards.help import help_card
from bot.commands.registry import Asking, all_commands, command
from bot.grammar.command import Command
from bot.language import words
from planner.notes import Note, note


@command("help")
def answer_help(asked: Command, asking: Asking) -> Card:
    """The help card over all commands."""
    return help_card(
        tuple(
            Topic(
                command=spec.name,
                summary=Note(code=spec.help_key),
                example=words(asking.language).t(spec.example_key),
            )
            for spec in all_commands().values()
        ),
        (note("commands.opening"),),
    )
