"""Each crossing is written down once, with its message, on both databases."""

import json
from datetime import timedelta

import pytest

from bot.store.engine import Store
from bot.store.watches import Watch, add, find, keep_check, pause, payload_of, unchecked, untold
from bot.watches.checking import MOST_CHECKED, UNREADABLE, check
from planner.errors import BadInput
from planner.watching import Standing
from tests.bot.watches.conftest import NOW, Market

LIMIT = 2.00
WATCH = Watch(
    "slack", "T1", "C1", "U1", "en", "llama-8b qlora under $2/h", "hour", LIMIT,
    Standing(True, None), "", NOW,
)  # fmt: skip


class Days:
    """Prices day after day, each looked at once."""

    def __init__(self, store: Store, market: Market) -> None:
        self.store, self.market, self.now = store, market, NOW

    def price(self, usd: float | None) -> None:
        self.now += timedelta(days=1)
        self.market.sell(usd, self.now)
        check(self.store, self.market.prices, self.now)


@pytest.fixture
def days(store: Store, market: Market) -> Days:
    market.sell(2.5, NOW)
    return Days(store, market)


def numbers(store: Store) -> list[int]:
    return [one.number for one in untold(store)]


def test_d126_the_second_crossing_is_told_too(store, days):
    key = add(store, WATCH)
    for usd in (2.1, 1.9, 2.2, 1.8):
        days.price(usd)
    assert numbers(store) == [1, 2]
    assert find(store, key).crossings == 2
    assert "$1.90 now, $2.10 before" in payload_of(store, key, 1)
    assert "$1.80 now, $2.20 before" in payload_of(store, key, 2)


def test_d122_d123_prices_that_stay_or_wobble_are_told_once(store, days):
    add(store, WATCH)
    for usd in (1.9, 1.9, 2.01, 1.99, 2.03, 1.9):
        days.price(usd)
    assert numbers(store) == [1]


def test_d125_a_price_nobody_knows_is_not_under(store, days):
    key = add(store, WATCH)
    days.price(2.2)
    days.price(None)
    assert numbers(store) == []
    assert find(store, key).standing == Standing(True, 2.2)
    days.price(1.9)
    assert numbers(store) == [1]
    assert "$2.20 before" in payload_of(store, key, 1)


def test_the_same_prices_are_looked_at_once(store, days, market):
    key = add(store, WATCH)
    days.price(2.2)
    market.sell(1.5, days.now)  # what was read at that time has been seen
    check(store, market.prices, days.now + timedelta(minutes=1))
    assert (numbers(store), find(store, key).standing.last_usd) == ([], 2.2)


def test_prices_older_than_those_seen_change_nothing(store, market):
    """Another machine's catalog may be behind: the two must not take turns."""
    key = add(store, WATCH._replace(checked_until=NOW + timedelta(hours=1)))
    market.sell(1.0, NOW)
    check(store, market.prices, NOW)
    assert numbers(store) == [] and find(store, key).standing.last_usd is None


def test_of_two_workers_that_look_at_once_one_writes_it_down(store):
    key = add(store, WATCH)
    later = NOW + timedelta(hours=1)
    under = WATCH._replace(standing=Standing(False, 1.9), checked_until=later)
    assert keep_check(store, key, WATCH, under, "{}", NOW)
    assert not keep_check(store, key, WATCH, under, "{}", NOW)
    assert numbers(store) == [1]


def test_a_paused_watch_is_not_looked_at_and_hears_once_it_goes_on(store, days, market):
    key = add(store, WATCH)
    pause(store, key, "asked")
    days.price(1.9)
    assert numbers(store) == []
    pause(store, key, "")
    check(store, market.prices, days.now)
    assert numbers(store) == [1]


def test_a_question_that_cannot_be_read_any_more_pauses_and_stops_nobody(store, days):
    lost = add(store, WATCH._replace(text="zork-70b qlora under $2/h"))
    key = add(store, WATCH)
    days.price(1.9)
    assert find(store, lost).paused_because == UNREADABLE
    assert [one.key for one in untold(store)] == [key]


def test_what_cannot_be_planned_this_time_has_an_unknown_price(store, days, monkeypatch):
    key = add(store, WATCH)
    with monkeypatch.context() as patch:
        patch.setattr("bot.watches.checking.look", refuse)
        days.price(1.9)
    watch = find(store, key)
    assert (watch.paused_because, watch.standing, watch.checked_until) == (
        "", WATCH.standing, days.now,
    )  # fmt: skip
    days.price(1.8)
    assert numbers(store) == [1]


def refuse(*_):
    raise BadInput("models.hub_unreachable")


def test_one_go_looks_at_some_and_the_next_at_the_rest(store):
    for number in range(MOST_CHECKED // 10 + 1):
        for _ in range(10):
            add(store, WATCH._replace(channel=f"C{number}"))
    later = NOW + timedelta(hours=1)
    first = unchecked(store, later, MOST_CHECKED)
    assert len(first) == MOST_CHECKED
    for key, watch in first.items():
        keep_check(store, key, watch, watch._replace(checked_until=later), None, NOW)
    assert len(unchecked(store, later, MOST_CHECKED)) == 10


@pytest.mark.parametrize("language", ["en", "id"])
def test_the_message_tells_the_machine_and_that_it_changed(store, market, language):
    key = add(store, WATCH._replace(language=language, machine="1x L40S Nebius one"))
    at = NOW + timedelta(days=1)
    market.sell(1.5, at)
    check(store, market.prices, at)
    said = str(json.loads(payload_of(store, key, 1))["blocks"])
    told = {"en": "Another machine than before", "id": "Mesinnya lain dari sebelumnya"}
    assert told[language] in said and "1x L40S Nebius one" in said
    assert "Lambda" in said and "us-east-1" in said and "2026-12-01" in said
    assert "llama-8b qlora under $2/h" in said


def test_cards_are_watched_by_the_price_of_one(store, market):
    watch = WATCH._replace(text="a100 under $1.8/h", figure="gpu_hour", limit_usd=1.8)
    key = add(store, watch._replace(surface="discord"))
    at = NOW + timedelta(days=1)
    market.sell(1.5, at)
    check(store, market.prices, at)
    assert "$1.50 now" in payload_of(store, key, 1)
