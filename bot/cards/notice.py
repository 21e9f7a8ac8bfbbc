"""The notice card: a few sentences, such as what is wrong with a question."""

from bot.cards.bodies import NotesBody
from bot.cards.card import Card, Section, Tone
from planner.notes import Note


def notice_card(notes: tuple[Note, ...], tone: Tone) -> Card:
    """A card that says `notes`, one a line."""
    section = Section(name="message", priority=0, body=NotesBody(notes=notes))
    return Card(kind="notice", tone=tone, sections=(section,))
