"""The notice card: a few sentences, such as what is wrong with a question."""

from bot.cards.bodies import NotesBody
from bot.cards.card import Card, Section, Tone
from planner.notes import Note

#: As many sentences as fit every surface even where all are of the greatest length.
NOTES_SHOWN = 4


def notice_card(notes: tuple[Note, ...], tone: Tone, most: int = NOTES_SHOWN) -> Card:
    """A card that says the first of `notes`, one a line; `most` may be larger where all are short,
    as in a list.
    """
    section = Section(name="message", priority=0, body=NotesBody(notes=notes[:most]))
    return Card(kind="notice", tone=tone, sections=(section,))
