"""Writes a catalog: a SQLite file that is whole or not there, even when two processes build it."""

import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from planner.catalog.offer import Offer

#: Raised when a reader of the old layout could not read the new one; added columns do not count.
SCHEMA_VERSION = 1

#: The stored columns, by hand: a change of the model must not change the file's layout unseen.
COLUMNS: dict[str, type] = {
    "provider": str,
    "instance_type": str,
    "gpu": str,
    "gpu_count": int,
    "interconnect": str,
    "vcpus": float,
    "host_ram_gib": float,
    "region": str,
    "on_demand_usd_per_hour": float,
    "spot_usd_per_hour": float,
    "as_of": str,
    "gathered_on": str,
    "source": str,
    "is_sample": int,
    "note": str,
    "sold_out": int,
}


def write_catalog(offers: Iterable[Offer], path: Path) -> None:
    """Write `offers` to `path`: under a temporary name, synced, then moved into place."""
    import tempfile

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        connection = sqlite3.connect(temporary)
        try:
            fill(connection, offers)
        finally:
            connection.close()
        _sync(temporary)
        os.replace(temporary, path)
        _sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def fill(connection: sqlite3.Connection, offers: Iterable[Offer]) -> None:
    """Create the tables in an empty database and write `offers`; the version marker comes last."""
    import sqlite_utils

    connection.execute("PRAGMA journal_mode=DELETE")
    database = sqlite_utils.Database(connection)
    with database.atomic():
        table = database.table("offers")
        table.create(COLUMNS)
        table.insert_all(_row(offer) for offer in offers)
        marker = {"key": "schema_version", "value": str(SCHEMA_VERSION)}
        database.table("meta").insert(marker, pk="key")


def _row(offer: Offer) -> dict[str, Any]:
    row = offer.model_dump(include=set(COLUMNS))
    for day in ("as_of", "gathered_on"):
        row[day] = row[day].isoformat() if row[day] else None
    return row


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
