"""From a subscription in the store to one message on the platform, through the queue."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from dbos import DBOS

from bot.digests.deliver import Later, Refused, Sent
from bot.digests.durable import (
    Composed,
    Work,
    beside,
    go_on_with,
    is_extra,
    start_working,
    stop_working,
    tick,
)
from bot.store.subscriptions import active, subscribe, want
from tests.bot.digests.test_deliver import NOW, SLOT, WISH


class Platform:
    def __init__(self, *answers, asked=None):
        self.answers, self.messages, self.told = list(answers), [], []
        self.asked = asked or threading.Event()

    def send(self, channel, payload, key):
        self.asked.set()
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

    def start(platform, worker="w1"):
        work = Work(
            store,
            {"slack": platform},
            lambda key, wish, slot: Composed(f"about {wish.what} {slot}", "told"),
            kept.__setitem__,
            lambda wish, reason: reason,
            lambda: NOW,
        )
        start_working(work, store.url.render_as_string(hide_password=False), worker)
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
    assert platform.messages == [("C1", f"about H100 {SLOT}", f"{key}:{SLOT}")]
    assert kept == {key: "told"}
    assert tick(work) == 0


def test_a_digest_that_is_wanted_goes_out_beside_the_slots(store, working):
    start, kept = working
    key = subscribe(store, WISH, NOW)
    want(store, key, NOW)
    platform = Platform()
    work = start(platform)
    assert [tick(work), tick(work)] == [1, 0]
    slot = f"now-{NOW:%Y%m%dT%H%M%S}"
    assert is_extra(slot) and not is_extra(SLOT)
    assert DBOS.retrieve_workflow(f"{key}:{slot}").get_result() == "sent"
    assert platform.messages == [("C1", f"about H100 {slot}", f"{key}:{slot}")]
    assert kept == {key: "told"}


def test_a_digest_that_is_wanted_leaves_a_due_slot_as_it_is(store, working):
    start, _ = working
    key = subscribe(store, WISH, NOW - timedelta(hours=1))
    want(store, key, NOW)
    work = start(Platform())
    assert tick(work) == 2
    for slot in (SLOT, f"now-{NOW:%Y%m%dT%H%M%S}"):
        assert DBOS.retrieve_workflow(f"{key}:{slot}").get_result() == "sent"


def test_what_a_lost_worker_had_begun_another_ends(store, working):
    """A worker's name that never comes back does not hold up its channel."""
    start, _ = working
    key = subscribe(store, WISH, NOW - timedelta(hours=1))
    stopped = threading.Event()
    tick(start(Platform(Later(1.0), asked=stopped), "gone"))
    assert stopped.wait(30)
    stop_working()
    platform = Platform()
    assert tick(start(platform, "alive")) == 1
    handle = DBOS.retrieve_workflow(f"{key}:{SLOT}")
    assert handle.get_status().executor_id == "gone"
    go_on_with("gone")
    assert handle.get_result() == "sent"
    assert len(platform.messages) == 1


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
