"""From a crossing in the store to one message on the platform, whatever ends in between."""

from datetime import timedelta

import pytest
from dbos import DBOS

from bot.digests.deliver import Absent, Later, Refused, Sent, Uncertain
from bot.digests.durable import Composed, Work, start_working, stop_working
from bot.store.sends import start
from bot.store.watches import add, find, forget, untold
from bot.watches.checking import UNREADABLE, check
from bot.watches.durable import Watching, tell_with, tick
from tests.bot.watches.conftest import NOW
from tests.bot.watches.test_checking import WATCH

LATER = NOW + timedelta(days=1)


class Platform:
    """Answers `send` in turn, then takes everything; shows its messages where `history` is."""

    def __init__(self, *answers, history=()):
        self.answers, self.history = list(answers), set(history)
        self.messages, self.told = [], []

    def send(self, channel, payload, key):
        answer = self.answers.pop(0) if self.answers else Sent("1")
        if isinstance(answer, Sent):
            self.messages.append((channel, key))
            self.history.add(key)
        return answer

    def find(self, channel, key, seconds):
        return Sent("found") if key in self.history else Absent()

    def tell(self, person, text):
        self.told.append((person, text))


@pytest.fixture
def working(store, market):
    def begin(platform):
        watching = Watching(store, {"slack": platform}, market.prices, lambda: LATER, 0.0)
        work = Work(
            store, {}, lambda key, wish: Composed(None, ""), lambda key, told: None,
            lambda wish, reason: reason, lambda: LATER,
        )  # fmt: skip
        tell_with(watching)
        start_working(work, store.url.render_as_string(hide_password=False), "w1")
        market.sell(1.5, LATER)
        return watching

    yield begin
    stop_working()


def ended(key, number=1):
    return DBOS.retrieve_workflow(f"watch:{key}:{number}").get_result()


def test_a_crossing_is_told_once_however_often_it_is_looked_for(store, working):
    key = add(store, WATCH)
    platform = Platform(Later(0.1))  # 429 first
    watching = working(platform)
    assert [tick(watching), tick(watching)] == [1, 1]
    assert ended(key) == "sent"
    assert platform.messages == [("C1", f"{key}:watch:1")]
    assert tick(watching) == 0
    assert untold(store) == []


def test_a_worker_that_ends_between_deciding_and_sending_loses_nothing(store, working, market):
    """What the one that ended had decided is told although the price has left meanwhile."""
    key = add(store, WATCH)
    platform = Platform()
    watching = working(platform)
    check(store, market.prices, LATER)  # and the worker ended here
    market.sell(3.0, LATER + timedelta(hours=1))
    tick(watching)
    assert ended(key) == "sent"
    assert platform.messages == [("C1", f"{key}:watch:1")]


@pytest.mark.parametrize("arrived", [True, False])
def test_a_worker_that_ends_while_sending_leaves_no_second_message(store, working, arrived):
    key = add(store, WATCH)
    name = f"{key}:watch:1"
    platform = Platform(history=[name] if arrived else [])
    watching = working(platform)
    start(store, key, "watch:1", NOW)  # and the worker ended here
    tick(watching)
    assert ended(key) == "sent"
    assert platform.messages == ([] if arrived else [("C1", name)])


def test_a_channel_that_is_gone_pauses_the_watch_and_tells_its_creator(store, working):
    key = add(store, WATCH._replace(text="llama-8b qlora under $2/h <!channel>"))
    platform = Platform(Refused("is_archived", for_ever=True))
    tick(working(platform))
    assert ended(key) == "refused"
    assert find(store, key).paused_because == "is_archived"
    ((person, text),) = platform.told
    assert person == "U1" and "is_archived" in text and "<!channel>" not in text


def test_a_lost_answer_nobody_can_look_up_is_told_to_the_creator(store, working):
    class Blind(Platform):
        def find(self, channel, key, seconds):
            return Uncertain()

    key = add(store, WATCH._replace(language="id"))
    platform = Blind(Uncertain())
    tick(working(platform))
    assert ended(key) == "uncertain"
    assert platform.messages == []
    assert "mungkin sampai" in platform.told[0][1]
    assert untold(store) == []


def test_a_watch_deleted_before_its_message_went_out_tells_nothing(store, working):
    key = add(store, WATCH)
    platform = Platform(Later(0.2))
    watching = working(platform)
    tick(watching)
    forget(store, key)
    assert ended(key) is None
    assert platform.messages == []


def test_a_catalog_that_cannot_be_read_stops_nothing_that_was_decided(store, working, market):
    key = add(store, WATCH)
    platform = Platform()
    watching = working(platform)
    check(store, market.prices, LATER)
    market.prices.catalog_file.write_text("no catalog")
    assert tick(watching) == 1
    assert ended(key) == "sent"


def test_a_question_that_cannot_be_read_any_more_is_told_to_its_creator(store, working):
    key = add(store, WATCH._replace(text="zork-70b under $2/h"))
    platform = Platform()
    assert tick(working(platform)) == 0
    assert find(store, key).paused_because == UNREADABLE
    assert [person for person, _ in platform.told] == ["U1"]
