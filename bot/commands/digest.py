"""/digest: prices told to a channel on a schedule. Chats manage it where it is typed."""

from bot.cards.card import Card
from bot.cards.notice import notice_card
from bot.commands.registry import Asking, command
from bot.grammar.command import Command
from planner.notes import note


@command("digest")
def answer_digest(asked: Command, asking: Asking) -> Card:
    """Where nobody is in a channel: that a digest belongs to one."""
    return notice_card((note("digests.in_a_channel"),), "neutral")
