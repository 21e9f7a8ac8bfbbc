"""Which workers are alive, and which of them has the turn for a job that one does at a time."""

from datetime import datetime, timedelta

from sqlalchemy import Engine, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from bot.store.tables import turns, workers

#: A worker shows itself every minute; one that did not for so long does not come back by itself.
LOST_AFTER = timedelta(minutes=15)


def show(store: Engine, name: str, now: datetime) -> None:
    """The worker `name` is alive."""
    mine = workers.c.name == name
    with store.begin() as connection:
        if not connection.execute(update(workers).where(mine).values(seen_at=now)).rowcount:
            connection.execute(insert(workers).values(name=name, seen_at=now))


def last_seen(store: Engine) -> datetime | None:
    """When a worker last showed itself; None where none ever did."""
    with store.connect() as connection:
        return connection.execute(select(func.max(workers.c.seen_at))).scalar()


def take_lost(store: Engine, now: datetime) -> tuple[str, ...]:
    """The workers that are lost, each given to one caller only: what they had begun is the
    caller's to go on with.
    """
    limit = now - LOST_AFTER
    with store.connect() as connection:
        names = connection.execute(
            select(workers.c.name).where(workers.c.seen_at < limit)
        ).scalars()
        found = sorted(names)
    taken = []
    for name in found:
        with store.begin() as connection:
            gone = connection.execute(
                delete(workers).where(workers.c.name == name, workers.c.seen_at < limit)
            )
            if gone.rowcount:
                taken.append(name)
    return tuple(taken)


def take_turn(store: Engine, job: str, name: str, now: datetime, until: datetime) -> bool:
    """Whether the worker `name` may do `job`: nobody else may before `until`, or `end_turn`.

    A worker that comes back finds its own turn where it left it.
    """
    this = turns.c.job == job
    free = (turns.c.until <= now) | (turns.c.holder == name)
    try:
        with store.begin() as connection:
            taken = connection.execute(
                update(turns).where(this, free).values(holder=name, until=until)
            )
            if taken.rowcount:
                return True
            connection.execute(insert(turns).values(job=job, holder=name, until=until))
    except IntegrityError:
        return False
    return True


def end_turn(store: Engine, job: str, name: str, until: datetime) -> None:
    """`name` is done with `job`; the next turn begins at `until` at the earliest."""
    with store.begin() as connection:
        connection.execute(
            update(turns)
            .where(turns.c.job == job, turns.c.holder == name)
            .values(holder="", until=until)
        )
