"""What prices were: a database of its own beside the catalog, written only when one changes.

It is derived from the catalogs it follows, one after the other, and remembers which was the last: a
process that dies after a catalog was put in place loses nothing, the next one catches up.

Unlike the catalog the file is never replaced, so it is in WAL mode: readers go on while it is
written. With synchronous=NORMAL a power cut may lose the last commit, which is then made up for.
"""

import sqlite3
from collections.abc import Collection
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import quote

from planner.base import Frozen
from planner.catalog.filters import seller_names
from planner.errors import BadInput, NotFound
from planner.query import Market

if TYPE_CHECKING:
    from planner.catalog.regions import Region

#: Raised when a reader of the old layout could not read the new one; added columns do not count.
HISTORY_VERSION = 1
_NAME = "history.sqlite"

_TABLES = (
    # A blank region is an unknown one; last_seen is null while the price stands.
    "CREATE TABLE prices (id INTEGER PRIMARY KEY, feed TEXT NOT NULL, provider TEXT NOT NULL,"
    " instance_type TEXT NOT NULL, gpu TEXT NOT NULL, gpu_count INTEGER NOT NULL,"
    " region TEXT NOT NULL, market TEXT NOT NULL, usd_per_hour REAL NOT NULL,"
    " first_seen TEXT NOT NULL, last_seen TEXT)",
    "CREATE UNIQUE INDEX prices_current ON prices"
    " (feed, provider, instance_type, gpu, gpu_count, region, market) WHERE last_seen IS NULL",
    "CREATE INDEX prices_gpu ON prices (gpu, provider)",
    "CREATE TABLE feeds (name TEXT PRIMARY KEY, read_at TEXT NOT NULL)",
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)",
)

_MACHINE = ("feed", "provider", "instance_type", "gpu", "gpu_count", "region", "market")
_SAME = " AND ".join(f"seen.{name} = prices.{name}" for name in _MACHINE)

#: The prices that the followed catalog states, of one machine in one place the cheapest.
_SEEN = f"""
CREATE TEMP TABLE seen AS
SELECT feed, provider, instance_type, gpu, gpu_count, COALESCE(region, '') AS region, market,
       min(usd_per_hour) AS usd_per_hour, COALESCE(read_at, :built_at) AS read_at
FROM followed.priced LEFT JOIN followed.sources ON followed.sources.name = feed
GROUP BY {", ".join(str(number) for number in range(1, len(_MACHINE) + 1))}
"""
_SEEN_INDEX = f"CREATE UNIQUE INDEX temp.seen_machine ON seen ({', '.join(_MACHINE)})"
_MOVED = f"""
SELECT count(*) FROM prices JOIN seen ON {_SAME}
WHERE last_seen IS NULL AND seen.usd_per_hour <> prices.usd_per_hour
"""
_END = f"""
UPDATE prices SET last_seen = COALESCE(
  (SELECT read_at FROM feeds WHERE feeds.name = prices.feed), first_seen)
WHERE last_seen IS NULL AND NOT EXISTS (
  SELECT 1 FROM seen WHERE {_SAME} AND seen.usd_per_hour = prices.usd_per_hour)
"""
_BEGIN = f"""
INSERT INTO prices ({", ".join(_MACHINE)}, usd_per_hour, first_seen)
SELECT {", ".join(_MACHINE)}, usd_per_hour, read_at FROM seen WHERE NOT EXISTS (
  SELECT 1 FROM prices WHERE last_seen IS NULL AND {_SAME})
"""
_FEEDS = """
INSERT OR REPLACE INTO feeds
SELECT name, COALESCE(read_at, :built_at) FROM followed.sources WHERE status <> 'skipped'
"""


class PriceSpan(Frozen):
    """One price per hour of one machine in one market, for as long as it was seen.

    `last_seen` is when a source that states the price was last read; a price that is current may
    have been seen last some time ago, where its source has failed since.
    """

    provider: str
    instance_type: str
    gpu: str
    gpu_count: int
    region: str | None
    market: Market
    usd_per_hour: float
    first_seen: datetime
    last_seen: datetime
    is_current: bool


class History:
    """Price spans behind one read-only connection. Close it, or use it in a `with`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def prices(
        self,
        gpus: Collection[str] | None = None,
        providers: Collection[str] | None = None,
        market: Market | None = None,
        region: "Region | None" = None,
    ) -> tuple[PriceSpan, ...]:
        """The spans of these cards and providers, machine by machine, each oldest first."""
        clauses, values = ["1"], list[object]()
        sellers = None if providers is None else seller_names(providers)
        for column, names in (("gpu", gpus), ("provider", sellers)):
            if names is not None:
                clauses.append(f"{column} IN ({', '.join('?' * len(names))})")
                values += sorted(names)
        if market is not None:
            clauses.append("market = ?")
            values.append(market)
        rows = self._connection.execute(
            f"""SELECT provider, instance_type, gpu, gpu_count, region, market, usd_per_hour,
              first_seen, COALESCE(last_seen, read_at, first_seen), last_seen IS NULL
            FROM prices LEFT JOIN feeds ON name = feed WHERE {" AND ".join(clauses)}
            ORDER BY gpu, provider, instance_type, gpu_count, region, market, first_seen, id""",
            values,
        )
        return tuple(_span(row) for row in rows if _lies_in(row[4], region))


def beside(catalog: Path) -> Path:
    """The history of the catalog in this file."""
    return catalog.with_name(_NAME)


def open_history(path: Path) -> History:
    """The history in the file `path`; NotFound before the first refresh."""
    if not path.is_file():
        raise NotFound("catalog.store_no_history", path=str(path))
    connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)
    try:
        _check(connection, path)
    except BaseException:
        connection.close()
        raise
    return History(connection)


def follow(history: Path, catalog: Path, now: datetime) -> int:
    """Bring the history up to the catalog, if it is not yet; how many prices changed.

    A price that began, moved or ended counts once; one whose source does not say when it was read
    was seen `now`. A catalog of the first layout has no identity and is not followed. All of it is
    one transaction, begun as a writer (BEGIN IMMEDIATE), so that what it reads is what it changes.
    """
    history.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(history, isolation_level=None, uri=True)) as connection:
        if not _is_empty(connection, history):
            _check(connection, history)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        uri = f"file:{quote(str(catalog.absolute()))}?mode=ro&immutable=1"
        connection.execute("ATTACH ? AS followed", (uri,))
        connection.execute("BEGIN IMMEDIATE")
        if _is_empty(connection, history):
            _create(connection)
        changed = _follow(connection, now)
        connection.execute("COMMIT")
        return changed


def _is_empty(connection: sqlite3.Connection, path: Path) -> bool:
    try:
        tables = connection.execute("SELECT count(*) FROM main.sqlite_master").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise _explained(error, path) from error
    return not tables


def _create(connection: sqlite3.Connection) -> None:
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('schema_version', ?)", (str(HISTORY_VERSION),))


def _check(connection: sqlite3.Connection, path: Path) -> None:
    try:
        marker = connection.execute(
            "SELECT value FROM main.meta WHERE key = 'schema_version'"
        ).fetchone()
        connection.execute("SELECT feed, usd_per_hour, last_seen FROM prices LIMIT 1")
    except sqlite3.DatabaseError as error:
        raise _explained(error, path) from error
    if marker is None or not marker[0].isdigit():
        raise BadInput("catalog.store_history_damaged", path=str(path))
    if int(marker[0]) > HISTORY_VERSION:
        raise BadInput("catalog.too_new", path=str(path), version=marker[0])


def _explained(error: sqlite3.DatabaseError, path: Path) -> Exception:
    """The error itself, unless it says that the file is something else."""
    if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_NOTADB):
        return BadInput("catalog.store_history_damaged", path=str(path))
    return error


def _follow(connection: sqlite3.Connection, now: datetime) -> int:
    """Bring an open history, within its transaction, up to the attached catalog."""
    marks = dict(connection.execute("SELECT key, value FROM followed.meta").fetchall())
    last = connection.execute("SELECT value FROM main.meta WHERE key = 'followed'").fetchone()
    if last == (marks.get("catalog_id"),) or "catalog_id" not in marks:
        return 0
    built_at = {"built_at": marks["built_at"] or now.isoformat()}
    connection.execute(_SEEN, built_at)
    connection.execute(_SEEN_INDEX)
    moved: int = connection.execute(_MOVED).fetchone()[0]
    ended = connection.execute(_END).rowcount
    begun = connection.execute(_BEGIN).rowcount
    connection.execute(_FEEDS, built_at)
    connection.execute(
        "INSERT OR REPLACE INTO main.meta VALUES ('followed', ?)", (marks["catalog_id"],)
    )
    connection.execute("DROP TABLE seen")
    return ended + begun - moved


def _span(row: tuple[str, str, str, int, str, Market, float, str, str, int]) -> PriceSpan:
    return PriceSpan(
        provider=row[0],
        instance_type=row[1],
        gpu=row[2],
        gpu_count=row[3],
        region=row[4] or None,
        market=row[5],
        usd_per_hour=row[6],
        first_seen=datetime.fromisoformat(row[7]),
        last_seen=datetime.fromisoformat(row[8]),
        is_current=bool(row[9]),
    )


def _lies_in(offer_region: str, region: "Region | None") -> bool:
    if region is None:
        return True
    from planner.catalog.regions import region_matches

    return region_matches(offer_region, region)
