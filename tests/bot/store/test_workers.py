"""Workers that show themselves, and jobs that one of them does at a time."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.store.engine import Store
from bot.store.workers import LOST_AFTER, end_turn, last_seen, show, take_lost, take_turn

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
SOON = NOW + timedelta(minutes=30)


def test_a_worker_was_last_seen_when_it_last_showed_itself(store: Store) -> None:
    assert last_seen(store) is None
    show(store, "a", NOW)
    show(store, "b", NOW + timedelta(minutes=2))
    show(store, "a", NOW + timedelta(minutes=1))
    assert last_seen(store) == NOW + timedelta(minutes=2)


def test_a_lost_worker_is_given_to_one_caller(store: Store) -> None:
    show(store, "gone", NOW)
    show(store, "alive", NOW + timedelta(minutes=1))
    assert take_lost(store, NOW + LOST_AFTER) == ()
    later = NOW + LOST_AFTER + timedelta(seconds=1)
    assert take_lost(store, later) == ("gone",)
    assert take_lost(store, later) == ()


def test_one_worker_at_a_time_has_a_turn(store: Store) -> None:
    assert take_turn(store, "refresh", "a", NOW, SOON)
    assert not take_turn(store, "refresh", "b", NOW, SOON)
    assert take_turn(store, "other", "b", NOW, SOON)


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_turn_that_ran_out_is_anybodys(store: Store, name: str) -> None:
    take_turn(store, "refresh", "a", NOW, SOON)
    assert take_turn(store, "refresh", name, SOON, SOON + timedelta(minutes=30))


def test_a_worker_that_comes_back_has_its_turn_still(store: Store) -> None:
    take_turn(store, "refresh", "a", NOW, SOON)
    assert take_turn(store, "refresh", "a", NOW, SOON)


def test_a_turn_that_ended_is_nobodys_until_the_next_may_begin(store: Store) -> None:
    take_turn(store, "refresh", "a", NOW, SOON)
    end_turn(store, "refresh", "a", NOW + timedelta(minutes=5))
    for name in ("a", "b"):
        assert not take_turn(store, "refresh", name, NOW + timedelta(minutes=4), SOON)
    assert take_turn(store, "refresh", "b", NOW + timedelta(minutes=5), SOON)


def test_only_the_holder_ends_a_turn(store: Store) -> None:
    take_turn(store, "refresh", "a", NOW, SOON)
    end_turn(store, "refresh", "b", NOW)
    assert not take_turn(store, "refresh", "b", NOW, SOON)
