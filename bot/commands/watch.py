"""/watch: a channel is told once a price gets low. Chats manage it where it is typed."""

from bot.cards.card import Card
from bot.cards.notice import notice_card
from bot.commands.registry import Asking, command
from bot.grammar.command import Command
from planner.notes import note


@command("watch")
def answer_watch(asked: Command, asking: Asking) -> Card:
    """Where nobody is in a channel: that a watch belongs to one."""
    return notice_card((note("watches.in_a_channel"),), "neutral")
