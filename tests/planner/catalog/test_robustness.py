"""A catalog is whole whatever happens to those who write it."""

import random
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from planner.catalog.history import open_history
from planner.catalog.offer import Offer
from planner.catalog.refresh import RefreshReport, refresh
from planner.catalog.store import open_catalog
from planner.errors import Refusal

MakeOffer = Callable[..., Offer]
MakeSource = Callable[..., Any]
Refresh = Callable[..., RefreshReport]

ROOT = Path(__file__).parents[3]
REFRESHER = Path(__file__).with_name("refresher.py")
OFFERS = 200
NEVER = -1
KILLED = 40


class Refresher:
    """A process that refreshes on demand; see refresher.py."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(REFRESHER), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def ask(self, kind: str, step: int = NEVER, largest_file: int | None = None) -> None:
        """Begin a refresh that may die at `step`, with files of at most so many bytes."""
        assert self._process.stdin
        self._process.stdin.write(f"{kind} {step} {largest_file or ''}\n")
        self._process.stdin.flush()

    def answer(self) -> str:
        """What came of it."""
        assert self._process.stdout
        return self._process.stdout.readline().strip()

    def end(self) -> None:
        """Let the process end."""
        self._process.communicate(timeout=60)


@pytest.fixture
def refresher(tmp_path: Path) -> Iterator[Callable[[], Refresher]]:
    """Starts processes that refresh the catalog in the test's folder."""
    started: list[Refresher] = []

    def start() -> Refresher:
        started.append(Refresher(tmp_path))
        return started[-1]

    yield start
    for one in started:
        one.end()


def kind_in(path: Path) -> str:
    """The one kind of offer in a whole catalog."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with open_catalog(path) as catalog:
        [kind] = {offer.instance_type for offer in catalog.offers()}
        assert len(catalog.offers()) == len(catalog.shapes()) == OFFERS
        assert {shape.offer.instance_type for shape in catalog.best()} == {kind}
        return kind


def current_kinds(path: Path) -> set[str]:
    with open_history(path) as history:
        return {one.instance_type for one in history.prices() if one.is_current}


def test_killed_anywhere_the_catalog_is_the_old_or_the_new_one(
    tmp_path: Path, refresher: Callable[[], Refresher]
) -> None:
    """kill -9 at random points of a refresh, each from where the one before left off."""
    process, path = refresher(), tmp_path / "catalog.sqlite"
    for _ in range(2):  # the first one also creates the history
        process.ask("kind0")
        steps = int(process.answer().removeprefix("done "))
    draw = random.Random(4)  # noqa: S311  # the same points on every run
    before, swapped = "kind0", list[bool]()
    for number in range(KILLED):
        new = f"kind{number + 1}"
        process.ask(new, draw.randrange(steps))
        assert process.answer() == "killed"
        now = kind_in(path)
        assert now in (before, new)
        swapped.append(now == new)
        before = now
    assert set(swapped) == {True, False}  # some died before the swap, some after

    process.ask("last")
    assert process.answer().startswith("done")
    assert kind_in(path) == "last"
    assert current_kinds(tmp_path / "history.sqlite") == {"last"}
    assert not list(tmp_path.glob(".catalog.sqlite.new-*"))


def test_of_refreshes_at_once_one_wins_and_the_others_are_told(
    tmp_path: Path, refresher: Callable[[], Refresher]
) -> None:
    processes = [refresher() for _ in range(3)]
    for number, process in enumerate(processes):
        process.ask(f"kind{number}")
    answers = [process.answer() for process in processes]
    done = {f"kind{number}" for number, said in enumerate(answers) if said.startswith("done")}
    refused = [said for said in answers if not said.startswith("done")]
    assert kind_in(tmp_path / "catalog.sqlite") in done
    assert set(refused) <= {"refused catalog.store_busy"}
    assert current_kinds(tmp_path / "history.sqlite") == {kind_in(tmp_path / "catalog.sqlite")}


def test_a_full_disk_is_said_and_the_old_catalog_stays(
    tmp_path: Path, refresher: Callable[[], Refresher]
) -> None:
    process, path = refresher(), tmp_path / "catalog.sqlite"
    process.ask("old")
    assert process.answer().startswith("done")
    whole = path.stat().st_size
    for largest_file in (whole // 2, whole - 1):
        process.ask("new", largest_file=largest_file)
        assert process.answer() == "refused catalog.store_write_failed"
        assert kind_in(path) == "old"
        assert not list(tmp_path.glob(".catalog.sqlite.new-*"))
    process.ask("new")
    assert process.answer().startswith("done")
    assert kind_in(path) == "new"


def test_a_place_that_cannot_be_written_is_said(
    tmp_path: Path, fake_source: MakeSource, offer: MakeOffer
) -> None:
    """A file in place of the folder, as the superuser may write to any folder."""
    (tmp_path / "file").write_text("no folder")
    path = tmp_path / "file" / "catalog.sqlite"
    now = datetime(2026, 12, 1, tzinfo=UTC)
    with pytest.raises(Refusal) as refused:
        refresh([fake_source("a", offer())], path, tmp_path / "h.sqlite", now, lambda *_: None)
    assert refused.value.note.code == "catalog.store_unwritable"
    assert refused.value.note.values == {"path": str(path)}


def test_a_file_that_may_not_be_made_is_said_and_the_old_catalog_stays(
    tmp_path: Path,
    refreshed: Refresh,
    fake_source: MakeSource,
    offer: MakeOffer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A folder that became read-only, as its system says it."""
    refreshed(fake_source("a", offer(instance_type="old")))

    def read_only(old: Path, new: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.replace", read_only)
    with pytest.raises(Refusal) as refused:
        refreshed(fake_source("a", offer(instance_type="new")))
    assert refused.value.note.code == "catalog.store_unwritable"
    assert not list(tmp_path.glob(".catalog.sqlite.new-*"))
    with open_catalog(tmp_path / "catalog.sqlite") as catalog:
        assert [one.instance_type for one in catalog.offers()] == ["old"]


def test_a_history_that_cannot_be_written_does_not_cost_the_catalog(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    (tmp_path / "history.sqlite").mkdir()
    with pytest.raises(Refusal) as refused:
        refreshed(fake_source("a", offer()))
    assert refused.value.note.code == "catalog.store_history_failed"
    with open_catalog(tmp_path / "catalog.sqlite") as catalog:
        assert len(catalog.shapes()) == 1
    (tmp_path / "history.sqlite").rmdir()
    refreshed(fake_source("a", offer()), day=2)
    with open_history(tmp_path / "history.sqlite") as history:
        assert [one.first_seen.day for one in history.prices()] == [1]


def test_readers_never_fail_while_catalogs_are_swapped(
    tmp_path: Path, refreshed: Refresh, fake_source: MakeSource, offer: MakeOffer
) -> None:
    path = tmp_path / "catalog.sqlite"

    def swap(number: int) -> None:
        kind = f"kind{number}"
        refreshed(fake_source("a", *(offer(instance_type=kind, vcpus=float(n)) for n in range(40))))

    swap(0)
    ended, seen = threading.Event(), list[set[str]]()

    def read() -> None:
        while not ended.is_set():
            with open_catalog(path) as catalog:
                offers = catalog.offers()
                seen.append({one.instance_type for one in offers})
                assert len(offers) == 40

    with open_catalog(path) as early:
        reader = threading.Thread(target=read)
        reader.start()
        for number in range(1, 16):
            swap(number)
        ended.set()
        reader.join(timeout=60)
        assert {one.instance_type for one in early.offers()} == {"kind0"}
    assert seen
    assert all(len(kinds) == 1 for kinds in seen)
    with open_catalog(path) as catalog:
        assert {one.instance_type for one in catalog.offers()} == {"kind15"}


def test_a_defect_is_not_told_as_a_full_disk(
    refreshed: Refresh,
    fake_source: MakeSource,
    offer: MakeOffer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def defective(*_: object) -> None:
        sqlite3.connect(":memory:").execute("SELECT 1 FROM nowhere")

    monkeypatch.setattr("planner.catalog.refresh.write_contents", defective)
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        refreshed(fake_source("a", offer()))
