"""/watch: a channel is told once a price gets low. Chats manage it where it is typed."""

from bot.actions import without_command
from bot.cards.card import Card
from bot.cards.notice import notice_card
from bot.cards.phrases import NAME_LENGTH
from bot.commands.registry import Asking, command
from bot.grammar.command import Command
from planner.notes import note


@command("watch")
def answer_watch(asked: Command, asking: Asking) -> Card:
    """Where nobody typed /watch in a channel: what to type there."""
    typed = without_command(asking.text).strip()
    if 0 < len(typed) <= NAME_LENGTH:
        said = note("watches.type_it", text=typed)
    else:
        said = note("watches.in_a_channel")
    return notice_card((said,), "neutral")
