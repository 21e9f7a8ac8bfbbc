"""The tables of a team's state. Times are UTC; ids of people, places and messages are the
platforms' own, as text.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.types import TypeDecorator

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class UtcTime(TypeDecorator[datetime]):
    """A zone-aware time, kept as UTC by both databases; a naive one is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """`value` in UTC; SQLite keeps no zone, so it is left out there."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without its zone")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """The kept time, in UTC."""
        if value is None:
            return None
        found: datetime = value
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


#: Questions behind the buttons of a card, found by a short id that fits into a button.
asked = Table(
    "asked",
    metadata,
    Column("id", String(24), primary_key=True),
    Column("command", String(16), nullable=False),
    Column("text", Text, nullable=False),
    Column("language", String(2), nullable=False),
    Column("surface", String(8), nullable=False),
    Column("place", String(64), nullable=False),
    Column("asker", String(64), nullable=False),
    Column("asked_at", UtcTime, nullable=False),
    Index(None, "asked_at"),
)

#: Deliveries that were taken, so that a repeated one has no second effect.
deliveries = Table(
    "deliveries",
    metadata,
    Column("surface", String(8), primary_key=True),
    Column("id", String(128), primary_key=True),
    Column("taken_at", UtcTime, nullable=False),
    Index(None, "taken_at"),
)

#: Settings of a workspace or server ("" as channel) and of single channels.
team_settings = Table(
    "team_settings",
    metadata,
    Column("surface", String(8), primary_key=True),
    Column("place", String(64), primary_key=True),
    Column("channel", String(64), primary_key=True),
    Column("name", String(32), primary_key=True),
    Column("value", Text, nullable=False),
    Column("set_by", String(64), nullable=False),
    Column("set_at", UtcTime, nullable=False),
)

#: Answers given in a channel where nobody asked Muat, one to a thread.
unasked_answers = Table(
    "unasked_answers",
    metadata,
    Column("id", String(24), primary_key=True),
    Column("surface", String(8), nullable=False),
    Column("place", String(64), nullable=False),
    Column("channel", String(64), nullable=False),
    Column("thread", String(64), nullable=False),
    Column("topic", String(64), nullable=False),
    Column("answered_at", UtcTime, nullable=False),
    UniqueConstraint(
        "surface", "channel", "thread", name="uq_unasked_answers_surface_channel_thread"
    ),
)

#: Whether an unasked answer helped, one vote a person.
votes = Table(
    "votes",
    metadata,
    Column(
        "answer",
        String(24),
        ForeignKey("unasked_answers.id", name="fk_votes_answer_unasked_answers"),
        primary_key=True,
    ),
    Column("person", String(64), primary_key=True),
    Column("helpful", Boolean, nullable=False),
    Column("voted_at", UtcTime, nullable=False),
)

#: What channels have asked to be told, and when. Slots up to `seen_until` are dealt with; at
#: `wanted_at` somebody asked for one beside the slots.
subscriptions = Table(
    "subscriptions",
    metadata,
    Column("id", String(24), primary_key=True),
    Column("surface", String(8), nullable=False),
    Column("place", String(64), nullable=False),
    Column("channel", String(64), nullable=False),
    Column("creator", String(64), nullable=False),
    Column("language", String(2), nullable=False),
    Column("what", Text, nullable=False),
    Column("threshold_percent", Float, nullable=False),
    Column("only_on_change", Boolean, nullable=False),
    Column("weekdays", String(7), nullable=False),
    Column("times", Text, nullable=False),
    Column("zone", String(64), nullable=False),
    Column("seen_until", UtcTime, nullable=False),
    Column("paused_because", String(64), nullable=False),
    Column("wanted_at", UtcTime, nullable=True),
    Index(None, "surface", "place", "channel"),
)

#: What became of each slot of a subscription; written before a message goes out.
sends = Table(
    "sends",
    metadata,
    Column("subscription", String(24), primary_key=True),
    Column("slot", String(24), primary_key=True),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("message", String(64), nullable=False),
    Column("at", UtcTime, nullable=False),
)

#: The prices that a subscription's readers were last told of, as JSON.
told = Table(
    "told",
    metadata,
    Column("subscription", String(24), primary_key=True),
    Column("prices", Text, nullable=False),
    Column("told_at", UtcTime, nullable=False),
)

#: Plans and prices that channels watch. `checked_until` is the date of the newest prices that were
#: looked at, `crossings` the number of the last
#: message, one for each time that the figure got under its limit, or that somebody asked for one.
watches = Table(
    "watches",
    metadata,
    Column("id", String(24), primary_key=True),
    Column("surface", String(8), nullable=False),
    Column("place", String(64), nullable=False),
    Column("channel", String(64), nullable=False),
    Column("creator", String(64), nullable=False),
    Column("language", String(2), nullable=False),
    Column("text", Text, nullable=False),
    Column("figure", String(16), nullable=False),
    Column("limit_usd", Float, nullable=False),
    Column("armed", Boolean, nullable=False),
    Column("last_usd", Float, nullable=True),
    Column("machine", Text, nullable=False),
    Column("checked_until", UtcTime, nullable=False),
    Column("crossings", Integer, nullable=False),
    Column("paused_because", String(64), nullable=False),
    Index(None, "surface", "place", "channel"),
    Index(None, "checked_until"),
)

#: What is told of each crossing; written down together with it, before the message goes out.
crossings = Table(
    "crossings",
    metadata,
    Column("watch", String(24), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("payload", Text, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("dealt_with", Boolean, nullable=False),
)

#: The workers there are, and when each last showed itself.
workers = Table(
    "workers",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("seen_at", UtcTime, nullable=False),
)

#: Jobs that one worker does at a time: whose turn it is, and until when.
turns = Table(
    "turns",
    metadata,
    Column("job", String(32), primary_key=True),
    Column("holder", String(64), nullable=False),
    Column("until", UtcTime, nullable=False),
)
