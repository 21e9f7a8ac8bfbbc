"""The price history: when each price was seen first and last, and that nothing is lost."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from planner.catalog import refresh as refreshing
from planner.catalog.history import PriceSpan, follow, open_history
from planner.catalog.offer import Offer
from planner.catalog.refresh import RefreshReport
from planner.catalog.regions import find_region
from planner.catalog.store import open_catalog
from planner.errors import BadInput, NotFound

MakeOffer = Callable[..., Offer]
MakeSource = Callable[..., Any]
Refresh = Callable[..., RefreshReport]


def at(day: int) -> datetime:
    return datetime(2026, 12, day, 12, tzinfo=UTC)


def spans(folder: Path, **filters: Any) -> tuple[PriceSpan, ...]:
    with open_history(folder / "history.sqlite") as history:
        return history.prices(**filters)


def told(folder: Path) -> list[tuple[float, int, int, bool]]:
    """Price, first and last day, whether it stands."""
    return [
        (one.usd_per_hour, one.first_seen.day, one.last_seen.day, one.is_current)
        for one in spans(folder)
    ]


def test_a_price_that_stands_is_one_span_seen_last_when_its_source_was_last_read(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    for day in (1, 2, 5):
        report = refreshed(fake_source("a", offer()), day=day)
    assert report.changed_prices == 0
    assert spans(tmp_path) == (
        PriceSpan(
            provider="Lambda",
            instance_type="one",
            gpu="A100-SXM4-80GB",
            gpu_count=1,
            region="us-east-1",
            market="on_demand",
            usd_per_hour=2.0,
            first_seen=at(1),
            last_seen=at(5),
            is_current=True,
        ),
    )


def test_only_a_change_adds_a_row(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    for day, usd in ((1, 2.0), (2, 2.0), (3, 1.5), (4, 1.5), (6, 2.0)):
        report = refreshed(fake_source("a", offer(on_demand_usd_per_hour=usd)), day=day)
    assert report.changed_prices == 1
    assert told(tmp_path) == [(2.0, 1, 2, False), (1.5, 3, 4, False), (2.0, 6, 6, True)]


def test_a_price_that_vanished_ends_when_it_was_last_seen(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    """D062: the last known price stays to be shown, with its age."""
    other = offer(instance_type="other")
    refreshed(fake_source("a", offer(), other), day=1)
    refreshed(fake_source("a", offer(), other), day=2)
    report = refreshed(fake_source("a", offer(on_demand_usd_per_hour=None), other), day=3)
    assert report.changed_prices == 1
    assert told(tmp_path) == [(2.0, 1, 2, False), (2.0, 1, 3, True)]
    refreshed(fake_source("a", offer(sold_out=True), other), day=4)
    assert told(tmp_path) == [(2.0, 1, 2, False), (2.0, 1, 4, True)]


def test_a_source_that_fails_ends_no_price(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    refreshed(fake_source("a", offer()), day=1)
    report = refreshed(fake_source("a", fails=True), fake_source("b", fails=True), day=3)
    assert report.changed_prices == 0
    assert told(tmp_path) == [(2.0, 1, 1, True)]


def test_markets_machines_and_unknown_places_are_apart(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    refreshed(
        fake_source(
            "a",
            offer(spot_usd_per_hour=0.5),
            offer(spot_usd_per_hour=3.0, instance_type="false spot"),
            offer(region=None, on_demand_usd_per_hour=1.9),
            offer(region=None, on_demand_usd_per_hour=1.8),
        )
    )
    assert {(s.instance_type, s.region, s.market, s.usd_per_hour) for s in spans(tmp_path)} == {
        ("one", "us-east-1", "on_demand", 2.0),
        ("one", "us-east-1", "spot", 0.5),
        ("false spot", "us-east-1", "on_demand", 2.0),
        ("one", None, "on_demand", 1.8),
    }


def test_spans_are_found_by_card_provider_market_and_place(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    refreshed(
        fake_source(
            "a",
            offer(instance_type="lambda"),
            offer(instance_type="brokered", provider="Lambda (via Shadeform)"),
            offer(instance_type="runpod", provider="RunPod", region="Jakarta"),
            offer(instance_type="h100", gpu="H100-SXM5", spot_usd_per_hour=1.0),
        )
    )

    def found(**filters: Any) -> list[str]:
        return sorted(one.instance_type for one in spans(tmp_path, **filters))

    assert found(gpus=["H100-SXM5"]) == ["h100", "h100"]
    assert found(gpus=["H100-SXM5"], market="spot") == ["h100"]
    assert found(providers=["RunPod"]) == ["runpod"]
    assert found(providers=["Lambda"], market="on_demand") == ["h100", "lambda"]
    assert found(region=find_region("near jakarta")) == ["runpod"]
    assert found(gpus=[]) == []


def test_what_died_between_the_swap_and_the_history_is_caught_up(
    tmp_path: Path,
    refreshed: Refresh,
    fake_source: MakeSource,
    offer: MakeOffer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refreshed(fake_source("a", offer(on_demand_usd_per_hour=2.0)), day=1)
    calls = []

    def dies_after_the_swap(history: Path, catalog: Path, now: datetime) -> int:
        calls.append(now)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return follow(history, catalog, now)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(refreshing, "follow", dies_after_the_swap)
        refreshed(fake_source("a", offer(on_demand_usd_per_hour=1.5)), day=2)
    with open_catalog(tmp_path / "catalog.sqlite") as catalog:
        assert [shape.usd_per_hour for shape in catalog.shapes()] == [1.5]
    assert told(tmp_path) == [(2.0, 1, 1, True)]

    refreshed(fake_source("a", offer(on_demand_usd_per_hour=1.0)), day=3)
    assert told(tmp_path) == [(2.0, 1, 1, False), (1.5, 2, 2, False), (1.0, 3, 3, True)]


def test_following_the_same_catalog_twice_changes_nothing(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    refreshed(fake_source("a", offer()), day=1)
    assert follow(tmp_path / "history.sqlite", tmp_path / "catalog.sqlite", at(9)) == 0
    assert told(tmp_path) == [(2.0, 1, 1, True)]


def test_a_reader_goes_on_while_the_history_is_written(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    """D128, D129: WAL, and a refresh writes in one short transaction of its own."""
    refreshed(fake_source("a", offer()), day=1)
    with open_history(tmp_path / "history.sqlite") as history:
        before = history.prices()
        refreshed(fake_source("a", offer(on_demand_usd_per_hour=1.0)), day=2)
        assert len(before) == 1
        assert len(history.prices()) == 2
    connection = sqlite3.connect(tmp_path / "history.sqlite")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_all_changes_of_a_refresh_are_one_transaction(
    tmp_path: Path,
    refreshed: Refresh,
    fake_source: MakeSource,
    offer: MakeOffer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """D128: 500 prices that move are not 500 commits."""
    statements: list[str] = []
    connect = sqlite3.connect

    def listened(path: Path, **options: Any) -> sqlite3.Connection:
        connection = connect(path, **options)
        if Path(path).name == "history.sqlite":
            connection.set_trace_callback(statements.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", listened)
    refreshed(fake_source("a", *(offer(instance_type=f"t{number}") for number in range(500))))
    assert len(spans(tmp_path)) == 500
    assert statements.count("COMMIT") == 1
    assert statements.index("BEGIN IMMEDIATE") < statements.index("COMMIT")


def test_a_history_that_is_missing_or_something_else_is_refused(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    with pytest.raises(NotFound) as missing:
        open_history(tmp_path / "history.sqlite")
    assert missing.value.note.code == "catalog.store_no_history"
    refreshed(fake_source("a", offer(instance_type="old")))
    for file in tmp_path.glob("history.sqlite*"):
        file.unlink()
    (tmp_path / "history.sqlite").write_text("my notes " * 500)
    with pytest.raises(BadInput) as damaged:
        open_history(tmp_path / "history.sqlite")
    assert damaged.value.note.code == "catalog.store_history_damaged"
    with pytest.raises(BadInput) as refused:
        refreshed(fake_source("a", offer(instance_type="new")))
    assert refused.value.note == damaged.value.note
    with open_catalog(tmp_path / "catalog.sqlite") as catalog:
        assert [one.instance_type for one in catalog.offers()] == ["old"]
    assert (tmp_path / "history.sqlite").read_text().startswith("my notes")
