"""Reads every source and puts a new catalog in the old one's place, whole or not at all."""

import errno
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from planner.base import Frozen
from planner.catalog.build import Contents, remove_leftovers, write_contents
from planner.catalog.history import follow
from planner.catalog.lock import writing
from planner.catalog.reports import SourceReport
from planner.catalog.rows import FEED, Cells, cells_of
from planner.catalog.sources.source import Quarantined, Reading, Source
from planner.catalog.store import contents_of, open_file
from planner.errors import BadInput, Refusal
from planner.notes import Note, note

__all__ = ["RefreshReport", "SourceReport", "refresh"]

#: Called with the name of the source about to be read, how many were read before it, and of how
#: many; with "" once all are read and the catalog is being written.
Progress = Callable[[str, int, int], None]

#: What the system says of a place where nothing can be written, whatever room there is.
_NO_ACCESS = {
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR,
}  # fmt: skip
_SQLITE_NO_ACCESS = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}
_SQLITE_NO_ROOM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}


class RefreshReport(Frozen):
    """What a refresh did: how each source fared that was asked, and the whole catalog after it.

    `changed_prices` counts the prices that began, moved or ended since the catalog before.
    """

    sources: tuple[SourceReport, ...]
    offers: int
    quarantined: int
    changed_prices: int


class _Said(NamedTuple):
    """What stands in the catalog for one source."""

    report: SourceReport
    offers: Sequence[Cells]
    quarantined: Sequence[Quarantined]


def refresh(
    sources: Sequence[Source], path: Path, history: Path, now: datetime, progress: Progress
) -> RefreshReport:
    """Read `sources`, replace their rows in the catalog at `path`, and note changes in `history`.

    A source that fails, or has not a single row any more, keeps its rows. Rows of sources that are
    not among `sources` stay as they are. Refusal where another refresh runs or nothing can be
    written; the old catalog is then untouched.
    """
    path = path.resolve()
    with _explained(path), writing(path):
        remove_leftovers(path)
        standing = _standing(path)
        if standing:
            _catch_up(history, path, now)
        asked = [*_read(sources, standing, now, progress)]
        progress("", len(sources), len(sources))
        everything = standing | {said.report.name: said for said in asked}
        write_contents(_contents(everything, now), path)
        changed = _catch_up(history, path, now)
    return RefreshReport(
        sources=tuple(said.report for said in asked),
        offers=sum(len(said.offers) for said in everything.values()),
        quarantined=sum(len(said.quarantined) for said in everything.values()),
        changed_prices=changed,
    )


def _read(
    sources: Sequence[Source], standing: dict[str, _Said], now: datetime, progress: Progress
) -> Iterator[_Said]:
    for done, source in enumerate(sources):
        progress(source.name, done, len(sources))
        before = standing.get(source.name)
        try:
            reading = source.read(now)
        except Refusal as refusal:
            yield _failed(source.name, before, refusal.note)
            continue
        if before is not None and before.offers and not reading.rows_read:
            nothing = note("catalog.store_source_empty", source=source.name)
            yield _failed(source.name, before, nothing)
        else:
            yield _answered(source.name, reading, now)


def _answered(name: str, reading: Reading, now: datetime) -> _Said:
    report = SourceReport(
        name=name,
        status="read",
        rows_read=reading.rows_read,
        offers=len(reading.offers),
        quarantined=len(reading.quarantined),
        note=None,
        read_at=now,
    )
    set_aside = [one.model_copy(update={"source": name}) for one in reading.quarantined]
    return _Said(report, [cells_of(one, name) for one in reading.offers], set_aside)


def _failed(name: str, before: _Said | None, why: Note) -> _Said:
    if before is not None and before.report.status != "skipped":
        kept = before.report.model_copy(update={"status": "kept", "note": why})
        return before._replace(report=kept)
    skipped = SourceReport(
        name=name, status="skipped", rows_read=0, offers=0, quarantined=0, note=why, read_at=None
    )
    return _Said(skipped, (), ())


def _standing(path: Path) -> dict[str, _Said]:
    """What stands in the catalog, by source; nothing before the first refresh."""
    if not path.exists():
        return {}
    with closing(open_file(path)) as connection:
        try:
            contents = contents_of(connection)
            offers: dict[str, list[Cells]] = {report.name: [] for report in contents.reports}
            for cells in contents.offers:
                offers.setdefault(cells[FEED], []).append(cells)
        except sqlite3.DatabaseError as error:
            raise BadInput("catalog.not_a_catalog", path=str(path)) from error
    quarantined: dict[str, list[Quarantined]] = {}
    for one in contents.quarantined:
        quarantined.setdefault(one.source, []).append(one)
    reports = {report.name: report for report in contents.reports}
    return {
        name: _Said(
            reports.get(name) or _unreported(name, len(rows)), rows, quarantined.get(name, ())
        )
        for name, rows in offers.items()
    }


def _unreported(name: str, offers: int) -> SourceReport:
    """The report of a source in a catalog of the first layout, which kept none."""
    return SourceReport(
        name=name,
        status="read",
        rows_read=offers,
        offers=offers,
        quarantined=0,
        note=None,
        read_at=None,
    )


def _contents(everything: dict[str, _Said], now: datetime) -> Contents:
    return Contents(
        offers=(cells for said in everything.values() for cells in said.offers),
        reports=[said.report for said in everything.values()],
        quarantined=(one for said in everything.values() for one in said.quarantined),
        built_at=now,
    )


def _catch_up(history: Path, path: Path, now: datetime) -> int:
    """Bring the history up to the catalog in place; Refusal where it cannot be written."""
    try:
        return follow(history, path, now)
    except (OSError, sqlite3.Error) as error:
        raise Refusal("catalog.store_history_failed", path=str(history)) from error


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what the system says about a write that failed into one sentence."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise _refusal(error, path) or error from error


def _refusal(error: OSError | sqlite3.Error, path: Path) -> Refusal | None:
    """What to tell of the error; nothing where it says neither "no access" nor "no room"."""
    if isinstance(error, OSError):
        no_access, no_room = error.errno in _NO_ACCESS, True
    else:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        no_access, no_room = code in _SQLITE_NO_ACCESS, code in _SQLITE_NO_ROOM
    if no_access:
        return Refusal("catalog.store_unwritable", path=str(path))
    return Refusal("catalog.store_write_failed", path=str(path)) if no_room else None
