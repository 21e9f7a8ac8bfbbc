"""A refresh: what each source says replaces what it said before, and nothing else."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from planner.catalog.build import write_catalog
from planner.catalog.lock import writing
from planner.catalog.offer import Offer
from planner.catalog.refresh import RefreshReport, refresh
from planner.catalog.sources.source import Quarantined
from planner.catalog.store import open_catalog
from planner.errors import BadInput, Refusal
from planner.notes import note

MakeOffer = Callable[..., Offer]
MakeSource = Callable[..., Any]
Refresh = Callable[..., RefreshReport]


def types_in(path: Path) -> list[str]:
    with open_catalog(path) as catalog:
        return sorted(offer.instance_type for offer in catalog.offers())


def test_a_first_refresh_writes_a_catalog_that_says_who_said_what(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    bad = Quarantined(
        source="a",
        line=7,
        provider="Lambda",
        instance_type="odd",
        reason=note("catalog.bad_offer", offer="odd", column="gpu_count"),
        text="odd,0.5",
    )
    report = refreshed(
        fake_source("a", offer(instance_type="one"), quarantined=(bad,)),
        fake_source("b", offer(instance_type="two"), offer(instance_type="three")),
    )
    assert (report.offers, report.quarantined, report.changed_prices) == (3, 1, 3)
    with open_catalog(tmp_path / "catalog.sqlite") as catalog:
        assert catalog.sources() == report.sources
        assert [(s.name, s.status, s.rows_read, s.offers) for s in catalog.sources()] == [
            ("a", "read", 2, 1),
            ("b", "read", 2, 2),
        ]
        assert {s.read_at for s in catalog.sources()} == {datetime(2026, 12, 1, 12, tzinfo=UTC)}
        assert catalog.quarantined() == catalog.quarantined("a") == (bad,)
        assert catalog.quarantined("b") == ()


def test_rows_of_one_source_replace_each_other_and_leave_the_others_alone(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    refreshed(fake_source("a", offer(instance_type="a1")), fake_source("b", offer()))
    report = refreshed(fake_source("a", offer(instance_type="a2")), day=2)
    assert types_in(tmp_path / "catalog.sqlite") == ["a2", "one"]
    assert [source.name for source in report.sources] == ["a"]
    assert report.offers == 2


def test_a_source_that_fails_keeps_its_rows_and_says_so(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    refreshed(fake_source("a", offer(instance_type="a1")), fake_source("b", offer()))
    report = refreshed(
        fake_source("a", fails=True), fake_source("b", offer(instance_type="b2")), day=2
    )
    assert types_in(tmp_path / "catalog.sqlite") == ["a1", "b2"]
    kept, read = report.sources
    assert (kept.status, kept.offers, kept.note) == ("kept", 1, note("catalog.no_file", path="a"))
    assert kept.read_at == datetime(2026, 12, 1, 12, tzinfo=UTC)
    assert (read.status, read.note) == ("read", None)


def test_a_feed_without_a_single_row_is_a_feed_that_failed(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    refreshed(fake_source("a", offer()))
    [source] = refreshed(fake_source("a"), day=2).sources
    assert source.status == "kept"
    assert source.note == note("catalog.store_source_empty", source="a")
    assert types_in(tmp_path / "catalog.sqlite") == ["one"]


def test_a_source_that_never_answered_is_skipped_with_its_reason(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    for day in (1, 2):
        _, skipped = refreshed(
            fake_source("a", offer()), fake_source("b", fails=True), day=day
        ).sources
        assert (skipped.status, skipped.offers, skipped.read_at) == ("skipped", 0, None)
        assert skipped.note == note("catalog.no_file", path="b")
    assert types_in(tmp_path / "catalog.sqlite") == ["one"]


def test_progress_names_each_source_and_ends_with_the_writing(
    tmp_path: Path, fake_source: MakeSource, offer: MakeOffer
) -> None:
    steps: list[tuple[str, int, int]] = []
    refresh(
        [fake_source("a", offer()), fake_source("b", offer())],
        tmp_path / "c.sqlite",
        tmp_path / "h.sqlite",
        datetime(2026, 12, 1, tzinfo=UTC),
        lambda *step: steps.append(step),
    )
    assert steps == [("a", 0, 2), ("b", 1, 2), ("", 2, 2)]


def test_a_second_refresh_gets_one_clear_sentence_while_the_first_runs(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    refreshed(fake_source("a", offer(instance_type="old")))
    path = tmp_path / "catalog.sqlite"
    with writing(path), pytest.raises(Refusal) as refused:
        refreshed(fake_source("a", offer(instance_type="new")))
    assert refused.value.note == note("catalog.store_busy", path=str(path))
    assert types_in(path) == ["old"]
    refreshed(fake_source("a", offer(instance_type="new")))
    assert types_in(path) == ["new"]


def test_what_a_killed_refresh_left_is_removed_by_the_next(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    left = [tmp_path / f".catalog.sqlite.new-0123{end}" for end in ("", "-journal")]
    for file in left:
        file.write_text("half a catalog")
    refreshed(fake_source("a", offer()))
    assert not [file for file in left if file.exists()]


def test_a_file_that_is_no_catalog_is_never_replaced(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    (tmp_path / "catalog.sqlite").write_text("my notes " * 200)
    with pytest.raises(BadInput) as refused:
        refreshed(fake_source("a", offer()))
    assert refused.value.note.code == "catalog.not_a_catalog"
    assert (tmp_path / "catalog.sqlite").read_text().startswith("my notes")


def test_a_catalog_that_names_no_sources_is_taken_over(
    tmp_path: Path,
    refreshed: Refresh,
    fake_source: MakeSource,
    offer: MakeOffer,
    make_first_layout: Callable[[Path], None],
) -> None:
    """D064: a catalog of the first layout, whose rows are the bundled source's."""
    path = tmp_path / "catalog.sqlite"
    write_catalog([offer(instance_type="old")], path)
    make_first_layout(path)
    report = refreshed(fake_source("a", offer(instance_type="new")))
    assert types_in(path) == ["new", "old"]
    assert report.changed_prices == 2
    refreshed(fake_source("bundled", offer(instance_type="newer")))
    assert types_in(path) == ["new", "newer"]


def test_the_file_is_neither_in_wal_mode_nor_left_with_others(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    """A -wal file beside a replaced database brings old rows back."""
    refreshed(fake_source("a", offer()))
    connection = sqlite3.connect(tmp_path / "catalog.sqlite")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    assert {file.name for file in tmp_path.iterdir()} == {
        "catalog.sqlite",
        ".catalog.sqlite.lock",
        "history.sqlite",
    }


def test_a_link_to_the_catalog_stays_a_link(
    tmp_path: Path, fake_source: MakeSource, offer: MakeOffer
) -> None:
    (tmp_path / "shared").mkdir()
    link = tmp_path / "catalog.sqlite"
    link.symlink_to(tmp_path / "shared" / "catalog.sqlite")
    now = datetime(2026, 12, 1, tzinfo=UTC)
    refresh([fake_source("a", offer())], link, tmp_path / "h.sqlite", now, lambda *step: None)
    assert link.is_symlink()
    assert types_in(tmp_path / "shared" / "catalog.sqlite") == ["one"]
