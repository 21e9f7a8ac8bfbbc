"""What became of each slot of a subscription: written down before a message goes out."""

from datetime import datetime
from typing import Literal, cast

from sqlalchemy import Connection, Engine, insert, select, update
from sqlalchemy.exc import IntegrityError

from bot.store.tables import sends

#: `sending`: a message is going out, or a process ended while it was. `waiting`: the platform said
#: later. The others are final; `gave_up` is a platform that said later too often.
SendState = Literal[
    "sending", "waiting", "sent", "uncertain", "refused", "gave_up", "skipped", "silent"
]


def start(store: Engine, subscription: str, slot: str, now: datetime) -> SendState | None:
    """Take the slot for sending; gives the state it was in, None where it is new.

    Only a new slot and a `waiting` one become `sending`: of callers at the same time, one is told
    so and the others find `sending`.
    """
    table = sends
    here = (table.c.subscription == subscription, table.c.slot == slot)
    try:
        with store.begin() as connection:
            connection.execute(
                insert(table).values(
                    subscription=subscription,
                    slot=slot,
                    state="sending",
                    attempts=1,
                    message="",
                    at=now,
                )
            )
    except IntegrityError:
        with store.begin() as connection:
            taken = connection.execute(
                update(table)
                .where(*here, table.c.state == "waiting")
                .values(state="sending", attempts=table.c.attempts + 1, at=now)
            )
            if taken.rowcount:
                return "waiting"
            return cast(
                SendState, connection.execute(select(table.c.state).where(*here)).scalar_one()
            )
    return None


def restart(store: Engine, subscription: str, slot: str, now: datetime) -> None:
    """Count one more sending of a slot whose message did not go out before its process ended."""
    table = sends
    with store.begin() as connection:
        connection.execute(
            update(table)
            .where(table.c.subscription == subscription, table.c.slot == slot)
            .where(table.c.state == "sending")
            .values(attempts=table.c.attempts + 1, at=now)
        )


def begun(store: Engine, subscription: str, slot: str) -> tuple[datetime, int]:
    """When the last sending of the slot began, and how many there have been."""
    table = sends
    with store.connect() as connection:
        row = connection.execute(
            select(table.c.at, table.c.attempts).where(
                table.c.subscription == subscription, table.c.slot == slot
            )
        ).one()
    return row.at, row.attempts


def finish(
    store: Engine, subscription: str, slot: str, state: SendState, now: datetime, message: str = ""
) -> None:
    """What became of a slot that is `sending`; one that is final stays as it is."""
    table = sends
    with store.begin() as connection:
        connection.execute(
            update(table)
            .where(table.c.subscription == subscription, table.c.slot == slot)
            .where(table.c.state == "sending")
            .values(state=state, message=message, at=now)
        )


def skip(connection: Connection, subscription: str, slot: str, now: datetime) -> None:
    """Leave out a slot that a newer one makes up for, unless it was taken before."""
    table = sends
    here = (table.c.subscription == subscription, table.c.slot == slot)
    state = connection.execute(select(table.c.state).where(*here)).scalar()
    if state is None:
        connection.execute(
            insert(table).values(
                subscription=subscription,
                slot=slot,
                state="skipped",
                attempts=0,
                message="",
                at=now,
            )
        )
    elif state == "waiting":
        connection.execute(update(table).where(*here).values(state="skipped", at=now))


def withhold(store: Engine, subscription: str, slot: str, now: datetime) -> SendState:
    """Record that there was nothing to say in a slot; one that is dealt with keeps its state."""
    was = start(store, subscription, slot, now)
    if was not in (None, "waiting"):
        return was
    finish(store, subscription, slot, "silent", now)
    return "silent"
