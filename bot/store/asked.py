"""Questions behind buttons: a card's buttons carry a short id, the question stays here."""

import secrets
from datetime import datetime, timedelta
from typing import Literal, NamedTuple, cast

from sqlalchemy import Engine, delete, insert, select

from bot.grammar.command import CommandName
from bot.store.tables import asked
from planner.query import Language

ChatName = Literal["slack", "discord"]

#: How long a button keeps working.
KEPT = timedelta(days=90)


class Asked(NamedTuple):
    """One question: `text` without the name of its command; `place` is the workspace or server
    ("" in a direct message), `asker` the person who asked.
    """

    command: CommandName
    text: str
    language: Language
    surface: ChatName
    place: str
    asker: str


def remember(store: Engine, question: Asked, now: datetime) -> str:
    """Keep `question` and give the id that `recall` finds it by; old ones are forgotten."""
    key = secrets.token_urlsafe(9)
    with store.begin() as connection:
        connection.execute(delete(asked).where(asked.c.asked_at < now - KEPT))
        connection.execute(insert(asked).values(id=key, asked_at=now, **question._asdict()))
    return key


def recall(store: Engine, key: str) -> Asked | None:
    """The question behind `key`; None where it was forgotten or never was."""
    with store.connect() as connection:
        row = connection.execute(select(asked).where(asked.c.id == key)).first()
    if row is None:
        return None
    return Asked(
        cast(CommandName, row.command),
        row.text,
        cast(Language, row.language),
        cast(ChatName, row.surface),
        row.place,
        row.asker,
    )
