"""Prices read anew on a schedule."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.refreshing import AGAIN_AFTER, JITTER, Refreshing, is_due, refresh_in_turn
from bot.store.engine import Store, open_store
from bot.store.workers import take_turn
from planner.catalog.history import beside
from planner.catalog.offer import Offer
from planner.catalog.sources.source import Reading, SourceUnavailable
from planner.catalog.store import open_catalog

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
OFFER = Offer(
    provider="Lambda", instance_type="one", gpu="H100-SXM5", gpu_count=1, interconnect="single",
    vcpus=None, host_ram_gib=None, region="us-east-1", on_demand_usd_per_hour=3.0,
    spot_usd_per_hour=None, as_of=date(2026, 12, 1), gathered_on=date(2026, 12, 1),
    source="made up", is_sample=False,
)  # fmt: skip


class Feed:
    """A source that answers, or cannot be reached."""

    name = "feed"

    def __init__(self) -> None:
        self.reads = 0
        self.is_down = False

    def read(self, now: datetime) -> Reading:
        self.reads += 1
        if self.is_down:
            raise SourceUnavailable("catalog.source_unreadable", place="feed")
        return Reading(rows_read=1, offers=(OFFER,), quarantined=())


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(f"sqlite:///{tmp_path / 'team.sqlite'}")


@pytest.fixture
def work(store: Store, tmp_path: Path) -> Callable[..., tuple[Refreshing, Feed]]:
    def make(worker: str = "w1", catalog: str = "catalog.sqlite") -> tuple[Refreshing, Feed]:
        feed = Feed()
        path = tmp_path / "prices" / catalog
        return Refreshing(store, worker, path, lambda: (feed,), 12.0, lambda: NOW), feed

    return make


Make = Callable[..., tuple[Refreshing, Feed]]


def at(work: Refreshing, hours: float) -> Refreshing:
    return work._replace(clock=lambda: NOW + timedelta(hours=hours))


def test_the_first_refresh_makes_the_catalog_and_its_history(work: Make) -> None:
    mine, _ = work()
    report = refresh_in_turn(mine)
    assert report is not None and report.offers == 1
    with open_catalog(mine.catalog) as catalog:
        assert [one.instance_type for one in catalog.offers()] == ["one"]
        assert catalog.read_at() == NOW
    assert beside(mine.catalog).exists()


def test_prices_are_read_again_when_they_are_old_enough_and_not_before(work: Make) -> None:
    mine, feed = work()
    refresh_in_turn(mine)
    assert refresh_in_turn(at(mine, 11.9)) is None
    assert refresh_in_turn(at(mine, 12 * (1 + JITTER))) is not None
    assert feed.reads == 2


def test_workers_of_one_catalog_read_it_once(work: Make) -> None:
    (one, first), (other, second) = work("w1"), work("w2")
    refresh_in_turn(one)
    refresh_in_turn(other)
    assert (first.reads, second.reads) == (1, 0)


def test_one_worker_reads_at_a_time(work: Make, store: Store) -> None:
    """Machines with a catalog each share the team's database, and so the turn."""
    mine, feed = work("w2", "other.sqlite")
    take_turn(store, "refresh", "w1", NOW, NOW + timedelta(minutes=30))
    assert refresh_in_turn(mine) is None
    assert feed.reads == 0
    assert refresh_in_turn(at(mine, 0.51)) is not None


def test_after_a_failure_the_sources_are_left_in_peace_for_a_while(work: Make) -> None:
    mine, feed = work()
    feed.is_down = True
    refresh_in_turn(mine)
    again = AGAIN_AFTER.total_seconds() / 3600
    refresh_in_turn(at(mine, again - 0.01))
    assert feed.reads == 1
    refresh_in_turn(at(mine, again))
    assert feed.reads == 2


def test_a_failure_keeps_the_prices_there_were(work: Make) -> None:
    mine, feed = work()
    refresh_in_turn(mine)
    feed.is_down = True
    refresh_in_turn(at(mine, 14))
    with open_catalog(mine.catalog) as catalog:
        assert len(catalog.offers()) == 1
        assert catalog.read_at() == NOW


def test_never_is_never(work: Make) -> None:
    mine, feed = work()
    assert refresh_in_turn(mine._replace(every_hours=0.0)) is None
    assert feed.reads == 0


@given(st.floats(0.1, 1000), st.text(max_size=20), st.floats(0, 2))
def test_the_jitter_delays_by_a_tenth_at_most(hours: float, worker: str, waited: float) -> None:
    due = is_due(NOW, NOW + timedelta(hours=hours * waited), hours, worker)
    assert due or waited < 1 + JITTER + 1e-6
    assert not due or waited >= 1 - 1e-6


def test_workers_do_not_all_begin_at_one_time() -> None:
    moment = NOW + timedelta(hours=12 * (1 + JITTER / 2))
    assert {is_due(NOW, moment, 12, f"worker-{n}") for n in range(20)} == {True, False}
