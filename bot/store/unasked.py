"""Answers that nobody asked Muat for: few in an hour, one to a thread, and whether they helped."""

import secrets
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Engine, case, delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from bot.store.asked import ChatName
from bot.store.tables import unasked_answers, votes
from bot.store.team_settings import Where, settings_of

#: The setting of a channel that wants its questions answered although nobody asks Muat.
SETTING, YES = "unasked", "yes"
#: Unasked answers in one channel and hour.
MOST_PER_HOUR = 4


class Spot(NamedTuple):
    """Where a question was said: `thread` is the message that begins, or would begin, one."""

    surface: ChatName
    place: str
    channel: str
    thread: str


class Tally(NamedTuple):
    """How often a topic was answered unasked, and how many said it helped, or did not."""

    topic: str
    answers: int
    helped: int
    did_not: int


def is_wanted(store: Engine, where: Where) -> bool:
    """Whether a channel wants its questions answered although nobody asks Muat."""
    return settings_of(store, where).get(SETTING) == YES


def reserve(store: Engine, spot: Spot, topic: str, now: datetime) -> str | None:
    """The id of the answer that may be given at `spot`; None where its thread has one already, or
    the channel had its share of the hour.
    """
    key = secrets.token_urlsafe(9)
    table = unasked_answers
    try:
        with store.begin() as connection:
            given = connection.execute(
                select(func.count())
                .select_from(table)
                .where(table.c.surface == spot.surface, table.c.channel == spot.channel)
                .where(table.c.answered_at > now - timedelta(hours=1))
            ).scalar_one()
            if given >= MOST_PER_HOUR:
                return None
            connection.execute(
                insert(table).values(id=key, topic=topic, answered_at=now, **spot._asdict())
            )
    except IntegrityError:
        return None
    return key


def vote(store: Engine, answer: str, person: str, helpful: bool, now: datetime) -> bool:
    """Keep what `person` says of an answer, the last word counts; whether there is such an
    answer.
    """
    with store.begin() as connection:
        known = connection.execute(
            select(unasked_answers.c.id).where(unasked_answers.c.id == answer)
        ).first()
        if known is None:
            return False
        connection.execute(delete(votes).where(votes.c.answer == answer, votes.c.person == person))
        connection.execute(
            insert(votes).values(answer=answer, person=person, helpful=helpful, voted_at=now)
        )
    return True


def tallies(store: Engine, surface: ChatName, place: str) -> tuple[Tally, ...]:
    """What a team said of unasked answers, by topic."""
    table = unasked_answers
    helped = func.coalesce(func.sum(case((votes.c.helpful.is_(True), 1), else_=0)), 0)
    did_not = func.coalesce(func.sum(case((votes.c.helpful.is_(False), 1), else_=0)), 0)
    query = (
        select(table.c.topic, func.count(table.c.id.distinct()), helped, did_not)
        .select_from(table.outerjoin(votes, votes.c.answer == table.c.id))
        .where(table.c.surface == surface, table.c.place == place)
        .group_by(table.c.topic)
        .order_by(table.c.topic)
    )
    with store.connect() as connection:
        return tuple(Tally(*row) for row in connection.execute(query))
