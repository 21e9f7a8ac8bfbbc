"""The answer card: a question answered in a few paragraphs."""

from typing import TYPE_CHECKING

from bot.cards.card import Card, Section

if TYPE_CHECKING:
    from bot.faq.asking import Asked


def answer_card(asked: "Asked") -> Card:
    """What `asked` found, or the polite line where it found nothing."""
    section = Section(name="answer", priority=0, body=asked)
    return Card(kind="answer", tone="neutral", sections=(section,))
