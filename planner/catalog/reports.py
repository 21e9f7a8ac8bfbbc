"""What each source said when it was last read: reports and quarantined rows, and their storage."""

import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from planner.base import Frozen
from planner.catalog.sources.source import Quarantined
from planner.notes import Note

Status = Literal["read", "kept", "skipped"]

TABLES = (
    "CREATE TABLE sources (name TEXT PRIMARY KEY, status TEXT, rows_read INTEGER, offers INTEGER,"
    " quarantined INTEGER, note TEXT, read_at TEXT)",
    "CREATE TABLE quarantined (source TEXT, line INTEGER, provider TEXT, instance_type TEXT,"
    " reason TEXT, text TEXT)",
)


class SourceReport(Frozen):
    """How one source fared in the last refresh that asked it.

    read: it answered. kept: it failed, so what it said at `read_at` stands. skipped: it failed and
    had never said anything. `note` says why it failed; the counts are those of what stands.
    """

    name: str
    status: Status
    rows_read: int
    offers: int
    quarantined: int
    note: Note | None
    read_at: datetime | None


def write_reports(connection: sqlite3.Connection, reports: Iterable[SourceReport]) -> None:
    """Fill the table of sources."""
    connection.executemany(
        "INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (
                one.name,
                one.status,
                one.rows_read,
                one.offers,
                one.quarantined,
                _said(one.note) if one.note else None,
                one.read_at.isoformat() if one.read_at else None,
            )
            for one in reports
        ),
    )


def read_reports(connection: sqlite3.Connection) -> tuple[SourceReport, ...]:
    """Every source of a catalog, by name."""
    rows = connection.execute(
        "SELECT name, status, rows_read, offers, quarantined, note, read_at FROM sources"
        " ORDER BY name"
    )
    return tuple(
        SourceReport(
            name=name,
            status=status,
            rows_read=rows_read,
            offers=offers,
            quarantined=quarantined,
            note=_note(said) if said else None,
            read_at=datetime.fromisoformat(read_at) if read_at else None,
        )
        for name, status, rows_read, offers, quarantined, said, read_at in rows
    )


def write_quarantined(connection: sqlite3.Connection, rows: Iterable[Quarantined]) -> None:
    """Fill the table of rows that were set aside."""
    connection.executemany(
        "INSERT INTO quarantined VALUES (?, ?, ?, ?, ?, ?)",
        (
            (one.source, one.line, one.provider, one.instance_type, _said(one.reason), one.text)
            for one in rows
        ),
    )


def read_quarantined(
    connection: sqlite3.Connection, source: str | None = None
) -> tuple[Quarantined, ...]:
    """The rows set aside, of one source or of all, in the order of the source."""
    rows = connection.execute(
        "SELECT source, line, provider, instance_type, reason, text FROM quarantined"
        " WHERE ? IS NULL OR source = ? ORDER BY source, line, rowid",
        (source, source),
    )
    return tuple(
        Quarantined(
            source=name,
            line=line,
            provider=provider,
            instance_type=instance_type,
            reason=_note(reason),
            text=text,
        )
        for name, line, provider, instance_type, reason, text in rows
    )


def _said(note: Note) -> str:
    """The note itself: its own serialisation is the sentence for a reader."""
    return json.dumps({"code": note.code, "values": note.values}, ensure_ascii=False)


def _note(said: str) -> Note:
    return Note.model_validate(json.loads(said))
