"""A slot's message goes out once, whatever the platform answers and wherever a process ends."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from bot.digests.deliver import ATTEMPTS, Absent, Later, Refused, Sent, Uncertain, deliver
from bot.digests.slots import Rule
from bot.store.sends import start
from bot.store.subscriptions import Subscription, active, done_until, newest_due, pause, subscribe
from bot.store.tables import sends

NOW = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)  # Monday, 09:00 in Jakarta
SLOT = "2026-11-30T09:00"
DAILY = Rule(frozenset(range(7)), (time(9),))
WISH = Subscription("slack", "T1", "C1", "U1", "id", "H100", DAILY, ZoneInfo("Asia/Jakarta"))


class Platform:
    """Answers `send` in turn; shows its messages where `history` is granted."""

    def __init__(self, *answers, history=False):
        self.answers, self.history = list(answers), history
        self.messages: list[str] = []

    def send(self, channel, payload, key):
        answer = self.answers.pop(0)
        if isinstance(answer, Exception | Sent | Uncertain):
            self.messages.append(key)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def find(self, channel, key, seconds):
        if not self.history:
            return Uncertain()
        return Sent("found") if key in self.messages else Absent()

    def tell(self, person, text):
        raise AssertionError("nobody is written to here")


def sent(store, platform):
    return deliver(store, platform, "S1", SLOT, "C1", "{}", NOW)


def test_a_subscription_s_slot_arrives_once(store):
    key = subscribe(store, WISH, NOW - timedelta(hours=1))
    assert active(store) == {key: WISH}
    slot = newest_due(store, key, NOW)
    assert slot is not None and slot.key == SLOT
    platform = Platform(Sent("1"))
    for state in ("sent", "sent"):
        assert deliver(store, platform, key, slot.key, "C1", "{}", NOW).state == state
    assert platform.messages == [f"{key}:{slot.key}"]
    done_until(store, key, NOW)
    assert newest_due(store, key, NOW) is None


def test_a_long_outage_ends_in_one_message(store):
    key = subscribe(store, WISH, NOW - timedelta(days=10))
    due = newest_due(store, key, NOW)
    assert due is not None and due.key == SLOT
    with store.connect() as connection:
        states = connection.execute(select(sends.c.state)).scalars().all()
    assert states == ["skipped"] * 9


def test_nothing_is_due_while_paused(store):
    key = subscribe(store, WISH, NOW - timedelta(days=1))
    pause(store, key, "channel_archived")
    assert newest_due(store, key, NOW) is None
    assert active(store) == {}


def test_what_the_platform_puts_off_is_sent_later(store):
    platform = Platform(Later(30), Sent("1"))
    assert sent(store, platform).answer == Later(30)
    assert sent(store, platform).state == "sent"
    assert len(platform.messages) == 1


@pytest.mark.parametrize(("history", "state"), [(True, "sent"), (False, "uncertain")])
def test_a_lost_answer_is_looked_up_and_never_sent_again(store, history, state):
    platform = Platform(Uncertain(), history=history)
    assert [sent(store, platform).state for _ in range(3)] == ["sending", state, state]
    assert len(platform.messages) == 1


def test_a_message_that_never_left_goes_out_once(store):
    assert start(store, "S1", SLOT, NOW) is None  # and the process ended here
    platform = Platform(Sent("1"), history=True)
    assert [sent(store, platform).state, sent(store, platform).state] == ["sent", "sent"]
    assert len(platform.messages) == 1


def test_nothing_is_retried_for_ever(store):
    platform = Platform(*[Later(1)] * ATTEMPTS)
    states = [sent(store, platform).state for _ in range(ATTEMPTS + 1)]
    assert states == ["waiting"] * (ATTEMPTS - 1) + ["gave_up"] * 2


@pytest.mark.parametrize(("history", "state"), [(True, "sent"), (False, "uncertain")])
def test_a_process_that_ends_while_sending_leaves_no_second_message(store, history, state):
    platform = Platform(RuntimeError("killed"), history=history)
    with pytest.raises(RuntimeError):
        sent(store, platform)
    assert sent(store, platform).state == state
    assert len(platform.messages) == 1


def test_a_refusal_is_final(store):
    platform = Platform(Refused("is_archived", for_ever=True))
    assert [sent(store, platform).state, sent(store, platform).state] == ["refused", "refused"]


def test_of_two_starts_one_is_new(store):
    assert start(store, "S1", SLOT, NOW) is None
    assert start(store, "S1", SLOT, NOW) == "sending"
