"""Writes a catalog: a SQLite file that is whole or not there, even when two processes build it."""

import os
import secrets
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from planner.catalog.derive import derive
from planner.catalog.offer import Offer
from planner.catalog.reports import TABLES, SourceReport, write_quarantined, write_reports
from planner.catalog.rows import COLUMNS, FEED, UNNAMED_FEED, Cells, cells_of
from planner.catalog.sources.source import Quarantined

#: Raised when a reader of the old layout could not read the new one; added columns do not count.
#: 2: shapes, sources and quarantined rows, which earlier readers know nothing of. 3: of every kind
#: of machine the shapes of several providers.
SCHEMA_VERSION = 3


class Contents(NamedTuple):
    """All that a catalog is written from."""

    offers: Iterable[Cells]
    reports: Sequence[SourceReport] = ()
    quarantined: Iterable[Quarantined] = ()
    built_at: datetime | None = None


def write_catalog(offers: Iterable[Offer], path: Path) -> None:
    """Write a catalog of one source, which nobody had to ask: the offers the package ships."""
    write_contents(bundled_contents(offers), path)


def bundled_contents(offers: Iterable[Offer]) -> Contents:
    """The contents of a catalog that holds nothing but the package's own offers."""
    cells = [cells_of(offer, UNNAMED_FEED) for offer in offers]
    report = SourceReport(
        name=UNNAMED_FEED,
        status="read",
        rows_read=len(cells),
        offers=len(cells),
        quarantined=0,
        note=None,
        read_at=None,
    )
    return Contents(cells, (report,))


def write_contents(contents: Contents, path: Path) -> None:
    """Write a catalog to `path`: under a name of its own, synced, then moved into place.

    A reader sees the old file or the new one. OSError or sqlite3.Error leave the old one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{_leftover_prefix(path)}{secrets.token_hex(6)}")
    try:
        connection = sqlite3.connect(temporary)
        try:
            # Nobody reads the file before it is synced as a whole, below.
            connection.execute("PRAGMA synchronous=OFF")
            fill(connection, contents)
        finally:
            connection.close()
        _sync(temporary)
        os.replace(temporary, path)
        _sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def remove_leftovers(path: Path) -> None:
    """Remove what writers of `path` left that were killed; only for who alone may write it."""
    for leftover in path.parent.glob(f"{_leftover_prefix(path)}*"):
        leftover.unlink(missing_ok=True)


def fill(connection: sqlite3.Connection, contents: Contents) -> None:
    """Create the tables in an empty database and fill them; the version marker comes last."""
    import sqlite_utils

    connection.execute("PRAGMA journal_mode=DELETE")
    database = sqlite_utils.Database(connection)
    with database.atomic():
        database.table("offers").create({"id": int, FEED: str, **COLUMNS}, pk="id")
        names = (FEED, *COLUMNS)
        connection.executemany(
            # Only names of columns are put together.
            f"INSERT INTO offers ({', '.join(names)})"
            f" VALUES ({', '.join(f':{name}' for name in names)})",
            contents.offers,
        )
        for statement in TABLES:
            connection.execute(statement)
        write_reports(connection, contents.reports)
        write_quarantined(connection, contents.quarantined)
        connection.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        derive(connection)
        marks = {
            "catalog_id": secrets.token_hex(8),
            "built_at": contents.built_at.isoformat() if contents.built_at else None,
            "schema_version": str(SCHEMA_VERSION),
        }
        connection.executemany("INSERT INTO meta VALUES (?, ?)", marks.items())


def _leftover_prefix(path: Path) -> str:
    return f".{path.name}.new-"


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folder(path: Path) -> None:
    """Make the rename last; Windows opens no folders, and has renamed for good already."""
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
