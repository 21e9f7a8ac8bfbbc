"""Events and presses that were taken: each has its effect once, across processes and restarts."""

from datetime import datetime, timedelta

from sqlalchemy import Engine, delete, insert
from sqlalchemy.exc import IntegrityError

from bot.store.asked import ChatName
from bot.store.tables import deliveries

#: The platforms repeat a delivery within minutes; a day is far beyond.
KEPT = timedelta(days=1)


def take(store: Engine, surface: ChatName, delivery: str, now: datetime) -> bool:
    """Whether `delivery` is this caller's to answer: true for the first who asks, once."""
    try:
        with store.begin() as connection:
            connection.execute(delete(deliveries).where(deliveries.c.taken_at < now - KEPT))
            connection.execute(
                insert(deliveries).values(surface=surface, id=delivery, taken_at=now)
            )
    except IntegrityError:
        return False
    return True


def give_back(store: Engine, surface: ChatName, delivery: str) -> None:
    """Let `delivery` be taken again: whoever took it could not answer."""
    with store.begin() as connection:
        connection.execute(
            delete(deliveries).where(deliveries.c.surface == surface, deliveries.c.id == delivery)
        )
