"""What channels have asked to be told, and when."""

import secrets
from datetime import datetime, time
from typing import NamedTuple, cast
from zoneinfo import ZoneInfo

from sqlalchemy import Engine, Row, insert, select, update
from sqlalchemy import delete as remove

from bot.digests.slots import Rule, Slot, due_slots
from bot.store.asked import ChatName
from bot.store.sends import skip
from bot.store.tables import subscriptions
from planner.query import Language


class Subscription(NamedTuple):
    """`what` is the text of the wish; `place` and `channel` are the platform's ids."""

    surface: ChatName
    place: str
    channel: str
    creator: str
    language: Language
    what: str
    rule: Rule
    zone: ZoneInfo
    threshold_percent: float = 5.0
    only_on_change: bool = False


def subscribe(store: Engine, wish: Subscription, now: datetime) -> str:
    """Keep `wish` and give its id; its first slot is the first after `now`."""
    key = secrets.token_urlsafe(9)
    values = {
        **wish._asdict(),
        "zone": wish.zone.key,
        "weekdays": "".join(str(day) for day in sorted(wish.rule.weekdays)),
        "times": ",".join(f"{at:%H:%M}" for at in wish.rule.times),
    }
    del values["rule"]
    with store.begin() as connection:
        connection.execute(
            insert(subscriptions).values(id=key, seen_until=now, paused_because="", **values)
        )
    return key


def active(store: Engine) -> dict[str, Subscription]:
    """Every subscription that is not paused, by id."""
    table = subscriptions
    with store.connect() as connection:
        rows = connection.execute(
            select(table).where(table.c.paused_because == "").order_by(table.c.id)
        ).all()
    return {row.id: _subscription(row) for row in rows}


def find(store: Engine, key: str) -> Subscription | None:
    """The subscription `key`, paused or not; None where it was deleted."""
    with store.connect() as connection:
        row = connection.execute(select(subscriptions).where(subscriptions.c.id == key)).first()
    return None if row is None else _subscription(row)


def all_of(store: Engine) -> list[tuple[str, Subscription, str]]:
    """Every subscription: its id, itself, and the code of why it is paused ("" where it is not)."""
    with store.connect() as connection:
        rows = connection.execute(select(subscriptions).order_by(subscriptions.c.id)).all()
    return [(row.id, _subscription(row), row.paused_because) for row in rows]


def pause(store: Engine, key: str, because: str) -> None:
    """Send no more for `key`; `because` is the code of the reason."""
    table = subscriptions
    with store.begin() as connection:
        connection.execute(update(table).where(table.c.id == key).values(paused_because=because))


def newest_due(store: Engine, key: str, now: datetime) -> Slot | None:
    """The newest slot of `key` that is due and not dealt with; the older ones are skipped, so that
    a long outage ends in one message. None where nothing is due or the subscription is paused.

    The slot is still due on the next call, until `done_until` says it is dealt with.
    """
    table = subscriptions
    with store.begin() as connection:
        row = connection.execute(
            select(table).where(table.c.id == key, table.c.paused_because == "")
        ).first()
        if row is None:
            return None
        wish = _subscription(row)
        slots = due_slots(wish.rule, wish.zone, row.seen_until, now)
        for slot in slots[:-1]:
            skip(connection, key, slot.key, now)
    return slots[-1] if slots else None


def want(store: Engine, key: str, now: datetime) -> None:
    """Somebody asks for a digest of `key` at once, beside its slots."""
    table = subscriptions
    with store.begin() as connection:
        connection.execute(
            update(table).where(table.c.id == key).values(wanted_at=now.replace(microsecond=0))
        )


def wanted(store: Engine) -> list[tuple[str, Subscription, datetime]]:
    """What was asked for with `want` and is not queued yet."""
    table = subscriptions
    with store.connect() as connection:
        rows = connection.execute(select(table).where(table.c.wanted_at.is_not(None))).all()
    return [(row.id, _subscription(row), row.wanted_at) for row in rows]


def is_queued(store: Engine, key: str, wanted_at: datetime) -> None:
    """What was wanted at `wanted_at` is queued; a later wish stands."""
    table = subscriptions
    with store.begin() as connection:
        connection.execute(
            update(table)
            .where(table.c.id == key, table.c.wanted_at == wanted_at)
            .values(wanted_at=None)
        )


def last_dealt_with(store: Engine, key: str) -> datetime | None:
    """Up to when the slots of `key` are dealt with; None where it was deleted."""
    table = subscriptions
    with store.connect() as connection:
        return connection.execute(select(table.c.seen_until).where(table.c.id == key)).scalar()


def done_until(store: Engine, key: str, moment: datetime) -> None:
    """Slots of `key` up to `moment` are dealt with; an earlier moment changes nothing."""
    table = subscriptions
    with store.begin() as connection:
        connection.execute(
            update(table)
            .where(table.c.id == key, table.c.seen_until < moment)
            .values(seen_until=moment)
        )


def _subscription(row: Row[tuple[object, ...]]) -> Subscription:
    return Subscription(
        cast(ChatName, row.surface),
        row.place,
        row.channel,
        row.creator,
        cast(Language, row.language),
        row.what,
        Rule(
            frozenset(int(day) for day in row.weekdays),
            tuple(time.fromisoformat(at) for at in row.times.split(",")),
        ),
        ZoneInfo(row.zone),
        row.threshold_percent,
        row.only_on_change,
    )


def delete(store: Engine, key: str) -> None:
    """Forget `key`; what was sent for it stays on record."""
    with store.begin() as connection:
        connection.execute(remove(subscriptions).where(subscriptions.c.id == key))
