"""The help card: what can be asked, each with an example that works as typed."""

from bot.cards.bodies import NotesBody, Topic, TopicsBody
from bot.cards.card import Card, Section
from planner.notes import Note


def help_card(topics: tuple[Topic, ...], opening: tuple[Note, ...] = ()) -> Card:
    """A card of all `topics`, after the sentences of `opening` where there are any."""
    message = Section(name="message", priority=1, body=NotesBody(notes=opening))
    listed = Section(name="topics", priority=0, body=TopicsBody(topics=topics))
    return Card(kind="help", tone="neutral", sections=(message, listed) if opening else (listed,))
