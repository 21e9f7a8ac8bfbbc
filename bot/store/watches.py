"""What channels watch, where each watch stands, and the crossings that are to be told."""

import secrets
from datetime import datetime
from typing import NamedTuple, cast

from sqlalchemy import Connection, Engine, Row, delete, func, insert, select, update

from bot.store.asked import ChatName
from bot.store.tables import crossings, watches
from planner.query import Language
from planner.watching import Standing, WatchedFigure

#: Watches of one channel.
MOST = 10


class Watch(NamedTuple):
    """`text` is the question as typed, `machine` what was recommended for it last. Prices up to
    `checked_until` were looked at; the last crossing has the number `crossings`.
    """

    surface: ChatName
    place: str
    channel: str
    creator: str
    language: Language
    text: str
    figure: WatchedFigure
    limit_usd: float
    standing: Standing
    machine: str
    checked_until: datetime
    crossings: int = 0
    paused_because: str = ""


class Crossing(NamedTuple):
    """One message to send: `payload` is what the platform gets; `at` when it was decided."""

    key: str
    number: int
    channel: str
    surface: ChatName
    at: datetime


def add(store: Engine, watch: Watch) -> str | None:
    """Keep `watch` and give its id; None where its channel has as many as it may."""
    key = secrets.token_urlsafe(9)
    table = watches
    values = watch._asdict()
    standing = values.pop("standing")
    with store.begin() as connection:
        if connection.dialect.name == "postgresql":
            # Counted and added by one at a time, which SQLite's transactions are anyway.
            connection.execute(select(func.pg_advisory_xact_lock(func.hashtext(watch.channel))))
        have = connection.execute(
            select(func.count())
            .select_from(table)
            .where(table.c.surface == watch.surface, table.c.place == watch.place)
            .where(table.c.channel == watch.channel)
        ).scalar_one()
        if have >= MOST:
            return None
        connection.execute(
            insert(table).values(id=key, armed=standing.armed, last_usd=standing.last_usd, **values)
        )
    return key


def of_channel(store: Engine, surface: ChatName, place: str, channel: str) -> dict[str, Watch]:
    """The watches of one channel by id, paused ones too."""
    table = watches
    with store.connect() as connection:
        rows = connection.execute(
            select(table)
            .where(table.c.surface == surface, table.c.place == place)
            .where(table.c.channel == channel)
            .order_by(table.c.id)
        ).all()
    return {row.id: _watch(row) for row in rows}


def find(store: Engine, key: str) -> Watch | None:
    """The watch `key`, paused or not; None where it was deleted."""
    with store.connect() as connection:
        row = connection.execute(select(watches).where(watches.c.id == key)).first()
    return None if row is None else _watch(row)


def pause(store: Engine, key: str, because: str) -> None:
    """Look no more for `key`; `because` is the code of the reason, "" goes on."""
    with store.begin() as connection:
        connection.execute(
            update(watches).where(watches.c.id == key).values(paused_because=because)
        )


def forget(store: Engine, key: str) -> None:
    """Delete `key`, and what was still to be told of it."""
    with store.begin() as connection:
        connection.execute(delete(watches).where(watches.c.id == key))
        connection.execute(delete(crossings).where(crossings.c.watch == key))


def unchecked(store: Engine, until: datetime, most: int) -> dict[str, Watch]:
    """Active watches that did not see the prices of `until` yet, the longest unchecked first."""
    table = watches
    with store.connect() as connection:
        rows = connection.execute(
            select(table)
            .where(table.c.paused_because == "", table.c.checked_until < until)
            .order_by(table.c.checked_until, table.c.id)
            .limit(most)
        ).all()
    return {row.id: _watch(row) for row in rows}


def keep_check(
    store: Engine, key: str, was: Watch, checked: Watch, payload: str | None, now: datetime
) -> bool:
    """Keep where `key`, which stood as `was`, stands after a look, together with what is told of it
    where it crossed its limit. False, and nothing is kept, where somebody else looked meanwhile.
    """
    table = watches
    with store.begin() as connection:
        kept = connection.execute(
            update(table)
            .where(table.c.id == key, table.c.checked_until == was.checked_until)
            .where(table.c.crossings == was.crossings)
            .values(
                armed=checked.standing.armed,
                last_usd=checked.standing.last_usd,
                machine=checked.machine,
                checked_until=checked.checked_until,
                crossings=was.crossings + (payload is not None),
            )
        )
        if not kept.rowcount:
            return False
        if payload is not None:
            _write_down(connection, key, was.crossings + 1, payload, now)
    return True


def _write_down(connection: Connection, key: str, number: int, payload: str, now: datetime) -> None:
    connection.execute(
        insert(crossings).values(
            watch=key, number=number, payload=payload, at=now, dealt_with=False
        )
    )


def tell_now(store: Engine, key: str, payload: str, now: datetime) -> None:
    """Have `payload` told for `key` as if it had crossed its limit; where it stands stays."""
    with store.begin() as connection:
        number = connection.execute(
            update(watches)
            .where(watches.c.id == key)
            .values(crossings=watches.c.crossings + 1)
            .returning(watches.c.crossings)
        ).scalar()
        if number is not None:
            _write_down(connection, key, number, payload, now)


def untold(store: Engine) -> list[Crossing]:
    """Crossings whose message is not dealt with, in their order."""
    with store.connect() as connection:
        rows = connection.execute(
            select(
                crossings.c.watch,
                crossings.c.number,
                watches.c.channel,
                watches.c.surface,
                crossings.c.at,
            )
            .join(watches, watches.c.id == crossings.c.watch)
            .where(crossings.c.dealt_with.is_(False))
            .order_by(crossings.c.at, crossings.c.watch, crossings.c.number)
        ).all()
    return [Crossing(*row) for row in rows]


def payload_of(store: Engine, key: str, number: int) -> str | None:
    """The message of a crossing; None where its watch was deleted."""
    table = crossings
    with store.connect() as connection:
        return connection.execute(
            select(table.c.payload).where(table.c.watch == key, table.c.number == number)
        ).scalar()


def dealt_with(store: Engine, key: str, number: int) -> None:
    """The message of a crossing was sent, or never will be."""
    table = crossings
    with store.begin() as connection:
        connection.execute(
            update(table)
            .where(table.c.watch == key, table.c.number == number)
            .values(dealt_with=True)
        )


def _watch(row: Row[tuple[object, ...]]) -> Watch:
    return Watch(
        cast(ChatName, row.surface),
        row.place,
        row.channel,
        row.creator,
        cast(Language, row.language),
        row.text,
        cast(WatchedFigure, row.figure),
        row.limit_usd,
        Standing(row.armed, row.last_usd),
        row.machine,
        row.checked_until,
        row.crossings,
        row.paused_because,
    )
