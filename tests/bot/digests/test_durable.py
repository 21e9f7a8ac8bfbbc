"""From a subscription in the store to one message on the platform, through the queue."""

from datetime import UTC, datetime, timedelta

import pytest
from dbos import DBOS

from bot.digests.deliver import Later, Refused, Sent
from bot.digests.durable import Composed, Work, beside, start_working, stop_working, tick
from bot.store.subscriptions import active, subscribe
from tests.bot.digests.test_deliver import NOW, SLOT, WISH


class Platform:
    def __init__(self, *answers):
        self.answers, self.messages, self.told = list(answers), [], []

    def send(self, channel, payload, key):
        answer = self.answers.pop(0) if self.answers else Sent("1")
        if isinstance(answer, Sent):
            self.messages.append((channel, payload, key))
        return answer

    def find(self, channel, key, seconds):
        raise AssertionError("no answer was lost")

    def tell(self, person, text):
        self.told.append((person, text))


@pytest.fixture
def working(store):
    kept = {}

    def start(platform):
        work = Work(
            store,
            {"slack": platform},
            lambda key, wish: Composed(f"about {wish.what}", "told"),
            kept.__setitem__,
            lambda wish, reason: reason,
            lambda: NOW,
        )
        start_working(work, store.url.render_as_string(hide_password=False), "w1")
        return work

    yield start, kept
    stop_working()


def test_a_due_slot_becomes_one_message(store, working):
    start, kept = working
    key = subscribe(store, WISH, NOW - timedelta(hours=1))
    platform = Platform(Later(0.1))
    work = start(platform)
    assert [tick(work), tick(work)] == [1, 1]
    assert DBOS.retrieve_workflow(f"{key}:{SLOT}").get_result() == "sent"
    assert platform.messages == [("C1", "about H100", f"{key}:{SLOT}")]
    assert kept == {key: "told"}
    assert tick(work) == 0


def test_a_channel_that_is_gone_pauses_and_tells_the_creator(store, working):
    start, kept = working
    key = subscribe(store, WISH, NOW - timedelta(hours=1))
    platform = Platform(Refused("is_archived", for_ever=True))
    tick(start(platform))
    assert DBOS.retrieve_workflow(f"{key}:{SLOT}").get_result() == "refused"
    assert platform.told == [("U1", "is_archived")]
    assert active(store) == {}
    assert kept == {}


def test_dbos_has_a_database_of_its_own():
    assert beside("sqlite:////data/team.sqlite") == "sqlite:////data/team-work.sqlite"
    assert beside("postgresql+psycopg://u:p@h/muat") == "postgresql+psycopg://u:p@h/muat_work"
    assert datetime(2026, 11, 30, 2, tzinfo=UTC) == NOW
