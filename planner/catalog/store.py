"""The catalog as a SQLite file: built from the bundled offers on first use, then only read."""

import sqlite3
from collections.abc import Collection, Iterable
from datetime import date, datetime
from pathlib import Path
from typing import Self, Unpack
from urllib.parse import quote

from planner.catalog.build import SCHEMA_VERSION, Contents, bundled_contents, fill, write_catalog
from planner.catalog.derive import among_cheapest_providers, first_of_provider, not_beaten
from planner.catalog.filters import (
    BEST,
    PRICED,
    Filters,
    seller_names,
    shapes_by_provider,
    shapes_for,
    wanted,
)
from planner.catalog.freshness import age_hours, band, is_too_old
from planner.catalog.offer import Offer, Shape
from planner.catalog.reports import SourceReport, read_quarantined, read_reports
from planner.catalog.rows import COLUMNS, Cells, offer_from, offer_of, stored_cells
from planner.catalog.sources.bundled import bundled_digest, bundled_offers
from planner.catalog.sources.source import Quarantined
from planner.errors import BadInput
from planner.gpus.registry import planned_names
from planner.notes import Note, note
from planner.plan.result import CatalogFacts, Freshness


class Catalog:
    """Offers behind one read-only connection, which belongs to one thread.

    Nothing is read before it is asked for: an answer costs what it needs, however many offers
    there are. `notes` are for the reader. Close it, or use it in a `with`.
    """

    def __init__(self, connection: sqlite3.Connection, notes: tuple[Note, ...] = ()) -> None:
        self._connection = connection
        self._meta: dict[str, str | None] = dict(
            connection.execute("SELECT key, value FROM meta").fetchall()
        )
        dropped = self._count("false_spots")
        self.notes = (
            (*notes, note("catalog.spot_not_cheaper", offers=dropped)) if dropped else notes
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def offers(self) -> tuple[Offer, ...]:
        """Every offer, with and without a price: for exports and tests, not for answers."""
        return tuple(offer_from(cells) for cells in stored_cells(self._connection))

    def shapes(self, **filters: Unpack[Filters]) -> tuple[Shape, ...]:
        """What can be rented: priced offers on supported GPUs, one per machine, market and region.

        Nearest first where a region is given, then cheapest first. An offer without a price or
        sold out never appears. Costs what the offers that pass the filters cost.
        """
        rows, values = wanted(self._connection, PRICED, filters)
        return self._shapes(
            f"""SELECT offer, market, usd_per_hour, km, row_number() OVER (
              PARTITION BY provider, instance_type, gpu, gpu_count, market, region
              ORDER BY usd_per_hour, offer) = 1 AS chosen FROM ({rows})""",
            values,
            "km, usd_per_hour, offer, market",
        )

    def best(self, **filters: Unpack[Filters]) -> tuple[Shape, ...]:
        """Of every kind of machine (GPU, count, fabric) and market the cheapest, cheapest first.

        Dearer ones follow where they have more host RAM, and of the few providers next in price.
        Where two cost the same the nearer one counts. There are a few for each kind that is sold.
        """
        order = "usd_per_hour, km, offer"
        table = shapes_for(filters)
        rows, values = wanted(self._connection, table, filters)
        if table == BEST:  # its filters leave out whole kinds, or what is dearer: the rest stays
            chosen = f"SELECT *, 1 AS chosen FROM ({rows})"
        else:
            chosen = f"""SELECT offer, market, usd_per_hour, km,
              {not_beaten(order=order)} OR {among_cheapest_providers(order=order)} AS chosen
            FROM (SELECT *, {first_of_provider(order=order)} AS first FROM ({rows}))"""
        return self._shapes(chosen, values, "usd_per_hour, km, offer, market")

    def prices(self, **filters: Unpack[Filters]) -> tuple[Shape, ...]:
        """The cheapest shape per GPU, market and provider, by the price of one GPU."""
        rows, values = wanted(self._connection, shapes_by_provider(filters), filters)
        return self._shapes(
            f"""SELECT offer, market, usd_per_hour, km, usd_per_gpu, row_number() OVER (
              PARTITION BY gpu, market, provider
              ORDER BY usd_per_gpu, km, usd_per_hour, offer) = 1 AS chosen
            FROM (SELECT *, usd_per_hour / gpu_count AS usd_per_gpu FROM ({rows}))""",
            values,
            "usd_per_gpu, km, usd_per_hour, offer, market",
        )

    def offers_of(self, providers: Collection[str]) -> int:
        """How many offers there are of these providers, with and without a price."""
        names = sorted(seller_names(providers))
        marks = ", ".join("?" * len(names))
        # Only marks are put together.
        query = f"SELECT count(*) FROM offers WHERE provider IN ({marks})"
        return int(self._connection.execute(query, names).fetchone()[0])

    def facts(self, now: datetime) -> CatalogFacts:
        """Which prices these are and how old. Dates that differ read "first/last" (ISO 8601).

        The age counts from the day the newest row was gathered, else priced.
        """
        day = self._meta.get("gathered_last") or self._meta.get("as_of_last")
        age = age_hours(date.fromisoformat(day), now) if day else None
        return CatalogFacts(
            as_of=self._range("as_of"),
            gathered_on=self._range("gathered"),
            age_hours=age,
            freshness=self._freshness(age),
            offers=self._count("offers"),
        )

    def warnings(self, now: datetime) -> tuple[Note, ...]:
        """What a reader of any price in here must be told: `notes`, and if all of it is old."""
        age = self.facts(now).age_hours
        if age is None or not is_too_old(age):
            return self.notes
        return (*self.notes, note("catalog.store_too_old", age_days=int(age // 24)))

    def sources(self) -> tuple[SourceReport, ...]:
        """Every source that the offers come from, or that failed, by name."""
        return read_reports(self._connection)

    def read_at(self) -> datetime | None:
        """When a source was last read; None for the bundled sample alone."""
        moments = [one.read_at for one in self.sources() if one.read_at is not None]
        return max(moments, default=None)

    def quarantined(self, source: str | None = None) -> tuple[Quarantined, ...]:
        """The rows that were read and not trusted, of one source or of all."""
        return read_quarantined(self._connection, source)

    def _shapes(self, rows: str, values: tuple[object, ...], order: str) -> tuple[Shape, ...]:
        """The `chosen` among `rows` in this order, each with its offer."""
        found = self._connection.execute(
            f"""SELECT found.offer, found.market, found.usd_per_hour, {", ".join(_OFFER)}
            FROM ({rows}) AS found CROSS JOIN offers ON offers.id = found.offer
            WHERE chosen ORDER BY {_qualified(order)}""",
            values,
        )
        offers: dict[int, Offer] = {}
        shapes = []
        for number, market, usd_per_hour, *cells in found:
            if number not in offers:
                offers[number] = offer_of(tuple(cells))
            offer = offers[number]
            if offer.gpu in planned_names():
                shapes.append(Shape(offer=offer, market=market, usd_per_hour=usd_per_hour))
        return tuple(shapes)

    def _freshness(self, age: float | None) -> Freshness:
        """A single band for all: sample if any row is one, undated if no row has a date."""
        if self._count("samples"):
            return "sample"
        return "undated" if age is None or not self._count("dated") else band(age)

    def _count(self, name: str) -> int:
        return int(self._meta.get(name) or 0)

    def _range(self, name: str) -> str | None:
        first, last = self._meta.get(f"{name}_first"), self._meta.get(f"{name}_last")
        return first if first == last else f"{first}/{last}"


_OFFER = tuple(f"offers.{name}" for name in COLUMNS)


def _qualified(order: str) -> str:
    return ", ".join(f"found.{part}" for part in order.split(", "))


def open_catalog(path: Path | None = None, cache_folder: Path | None = None) -> Catalog:
    """The catalog in the file `path`; else the user's own, once there is one; else the bundled one.

    The bundled one is built in `cache_folder` (the user's) on first use. Where that cannot be
    written, the bundled offers are held in memory and a note says so.
    """
    own = user_catalog()
    if path is None and cache_folder is None and own.exists():
        path = own
    if path is not None:
        return Catalog(_current(open_file(path)))
    folder = cache_folder or _user_cache()
    built = folder / f"catalog-{SCHEMA_VERSION}-{bundled_digest()}.sqlite"
    try:
        return Catalog(_cached(built))
    except (OSError, sqlite3.OperationalError):
        memory = _in_memory(bundled_contents(bundled_offers()))
        return Catalog(memory, (note("catalog.in_memory", folder=str(folder)),))


def user_catalog() -> Path:
    """Where the user's own catalog is, from the first refresh on."""
    from platformdirs import user_data_dir

    return Path(user_data_dir("muat")) / "catalog.sqlite"


def _user_cache() -> Path:
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("muat"))


def _cached(built: Path) -> sqlite3.Connection:
    try:
        return open_file(built)
    except BadInput:
        write_catalog(bundled_offers(), built)
        return open_file(built)


def open_file(path: Path) -> sqlite3.Connection:
    """A read-only connection to a catalog of this layout or an earlier one; BadInput otherwise."""
    if not path.is_file():
        raise BadInput("catalog.no_file", path=str(path))
    uri = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True)
    try:
        marker = connection.execute(
            "SELECT value FROM meta WHERE key = 'schema_version'"
        ).fetchone()
        connection.execute("SELECT provider, gpu, gpu_count FROM offers LIMIT 1")
        _check_version(marker, path)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise BadInput("catalog.not_a_catalog", path=str(path)) from error
    except BadInput:
        connection.close()
        raise
    return connection


def _check_version(marker: tuple[str] | None, path: Path) -> None:
    if marker is None or not marker[0].isdigit():
        raise BadInput("catalog.not_a_catalog", path=str(path))
    if int(marker[0]) > SCHEMA_VERSION:
        raise BadInput("catalog.too_new", path=str(path), version=marker[0])


def _current(connection: sqlite3.Connection) -> sqlite3.Connection:
    """The catalog with every column and table that answers need: itself, or completed in memory."""
    columns = {row[1] for row in connection.execute("PRAGMA table_info(offers)")}
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if columns >= {"id", *COLUMNS} and tables >= {"shapes", "priced", "sources", "quarantined"}:
        return connection
    try:
        return _in_memory(contents_of(connection))
    finally:
        connection.close()


def contents_of(connection: sqlite3.Connection) -> Contents:
    """All that stands in a catalog of this layout or an earlier one."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    offers: Iterable[Cells] = stored_cells(connection)
    if not tables >= {"sources", "quarantined"}:
        return Contents(offers)
    return Contents(offers, read_reports(connection), read_quarantined(connection))


def _in_memory(contents: Contents) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    fill(connection, contents)
    return connection
