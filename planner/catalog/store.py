"""The catalog as a SQLite file: built from the bundled offers on first use, then only read."""

import sqlite3
from collections.abc import Collection, Iterable
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pydantic import ValidationError

from planner.catalog.build import SCHEMA_VERSION, fill, write_catalog
from planner.catalog.freshness import age_hours, band, freshness
from planner.catalog.needs import meets
from planner.catalog.offer import Offer, Shape
from planner.catalog.providers import sells_as
from planner.catalog.sources.bundled import bundled_digest, bundled_offers
from planner.errors import BadInput
from planner.gpus.registry import planned_names
from planner.notes import Note, note
from planner.plan.result import CatalogFacts, Freshness
from planner.query import Market, Need

if TYPE_CHECKING:
    from planner.catalog.regions import Region

_MARKETS: tuple[Market, ...] = ("on_demand", "spot")


class Catalog:
    """Offers behind one read-only connection, one per thread. `notes` are for the reader."""

    def __init__(self, connection: sqlite3.Connection, notes: tuple[Note, ...] = ()) -> None:
        self._connection = connection
        read = _read_offers(connection)
        self._offers = tuple(without_false_spot(offer) for offer in read)
        dropped = sum(a is not b for a, b in zip(read, self._offers, strict=True))
        self.notes = (
            (*notes, note("catalog.spot_not_cheaper", offers=dropped)) if dropped else notes
        )

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def offers(self) -> tuple[Offer, ...]:
        """Every offer, with and without a price."""
        return self._offers

    def shapes(
        self,
        gpus: Collection[str] | None = None,
        providers: Collection[str] | None = None,
        region: "Region | None" = None,
        market: Market | None = None,
        needs: Collection[Need] = (),
    ) -> tuple[Shape, ...]:
        """What can be rented: priced offers on supported GPUs, one per machine, market and region.

        None does not filter. Nearest first where a region is given, then cheapest first. An offer
        without a price, sold out, or in an unknown place where a region is asked never appears.
        """
        wanted = None if providers is None else _seller_names(providers)
        found: dict[tuple[object, ...], tuple[float, Shape]] = {}
        for offer in self._offers:
            distance = _distance(offer, region)
            if (
                distance is None
                or offer.sold_out
                or offer.gpu not in planned_names()
                or (gpus is not None and offer.gpu not in gpus)
                or (wanted is not None and offer.provider not in wanted)
                or not all(meets(offer, need) for need in needs)
            ):
                continue
            for shape in _shapes_of(offer, market):
                key = _identity(shape)
                if key not in found or shape.usd_per_hour < found[key][1].usd_per_hour:
                    found[key] = (distance, shape)
        ranked = sorted(found.values(), key=lambda pair: (pair[0], pair[1].usd_per_hour))
        return tuple(shape for _, shape in ranked)

    def prices(
        self,
        gpus: Collection[str] | None = None,
        providers: Collection[str] | None = None,
        region: "Region | None" = None,
        market: Market | None = None,
        needs: Collection[Need] = (),
    ) -> tuple[Shape, ...]:
        """The cheapest shape per GPU, market and provider, by the price of one GPU."""
        best: dict[tuple[str, str, str], Shape] = {}
        for shape in self.shapes(gpus, providers, region, market, needs):
            key = (shape.offer.gpu, shape.market, shape.offer.provider)
            if key not in best or _per_gpu(shape) < _per_gpu(best[key]):
                best[key] = shape
        return tuple(sorted(best.values(), key=_per_gpu))

    def facts(self, now: datetime) -> CatalogFacts:
        """Which prices these are and how old. Dates that differ read "first/last" (ISO 8601).

        The age counts from the day the newest row was gathered, else priced.
        """
        dated = sorted(offer.as_of for offer in self._offers if offer.as_of)
        gathered = sorted(offer.gathered_on for offer in self._offers if offer.gathered_on)
        days = gathered or dated
        age = age_hours(days[-1], now) if days else None
        return CatalogFacts(
            as_of=_range(dated),
            gathered_on=_range(gathered),
            age_hours=age,
            freshness=self._freshness(age, now),
            offers=len(self._offers),
        )

    def _freshness(self, age: float | None, now: datetime) -> Freshness:
        """A single band for all: sample if any row is one, undated if no row has a date."""
        bands = {freshness(offer, now) for offer in self._offers}
        if "sample" in bands:
            return "sample"
        return "undated" if age is None or bands == {"undated"} else band(age)


def open_catalog(path: Path | None = None, cache_folder: Path | None = None) -> Catalog:
    """The catalog in the file `path`, else the bundled one, built in `cache_folder` on first use.

    Where the cache cannot be written, the bundled offers are held in memory and a note says so.
    """
    if path is not None:
        return Catalog(_read_only(path))
    folder = cache_folder or _user_cache()
    built = folder / f"catalog-{SCHEMA_VERSION}-{bundled_digest()}.sqlite"
    try:
        return Catalog(_cached(built))
    except (OSError, sqlite3.OperationalError):
        return Catalog(_in_memory(), (note("catalog.in_memory", folder=str(folder)),))


def without_false_spot(offer: Offer) -> Offer:
    """The offer without a spot price that is not below its on-demand price."""
    spot, on_demand = offer.spot_usd_per_hour, offer.on_demand_usd_per_hour
    if spot is None or on_demand is None or spot < on_demand:
        return offer
    return offer.model_copy(update={"spot_usd_per_hour": None})


def _user_cache() -> Path:
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("muat"))


def _cached(built: Path) -> sqlite3.Connection:
    try:
        return _read_only(built)
    except BadInput:
        write_catalog(bundled_offers(), built)
        return _read_only(built)


def _read_only(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise BadInput("catalog.no_file", path=str(path))
    uri = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True)
    try:
        marker = connection.execute(
            "SELECT value FROM meta WHERE key = 'schema_version'"
        ).fetchone()
        connection.execute("SELECT provider, gpu, gpu_count FROM offers LIMIT 1")
    except sqlite3.DatabaseError as error:
        connection.close()
        raise BadInput("catalog.not_a_catalog", path=str(path)) from error
    _check_version(marker, path)
    return connection


def _check_version(marker: tuple[str] | None, path: Path) -> None:
    if marker is None or not marker[0].isdigit():
        raise BadInput("catalog.not_a_catalog", path=str(path))
    if int(marker[0]) > SCHEMA_VERSION:
        raise BadInput("catalog.too_new", path=str(path), version=marker[0])


def _in_memory() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    fill(connection, bundled_offers())
    return connection


def _read_offers(connection: sqlite3.Connection) -> list[Offer]:
    """The stored offers; unknown columns are ignored, optional ones that are missing are None."""
    rows = connection.execute("SELECT * FROM offers ORDER BY rowid")
    stored = [column[0] for column in rows.description]
    missing = dict.fromkeys(set(Offer.model_fields) - set(stored))
    unknown = set(stored) - set(Offer.model_fields)
    return [_offer({**missing, **dict(zip(stored, row, strict=True))}, unknown) for row in rows]


def _offer(cells: dict[str, Any], unknown: set[str]) -> Offer:
    for name in unknown:
        del cells[name]
    for price in ("on_demand_usd_per_hour", "spot_usd_per_hour"):
        cells[price] = cells[price] or None
    cells["interconnect"] = cells["interconnect"] or "unknown"
    cells["source"] = cells["source"] or ""
    cells["is_sample"] = bool(cells["is_sample"])
    cells["sold_out"] = bool(cells["sold_out"])
    try:
        return Offer(**cells)
    except ValidationError as error:
        bad = ", ".join(str(part) for part in error.errors()[0]["loc"])
        raise BadInput(
            "catalog.bad_offer",
            offer=f"{cells['provider']} {cells['instance_type']}",
            column=bad,
        ) from error


def _distance(offer: Offer, region: "Region | None") -> float | None:
    if region is None:
        return 0.0
    from planner.catalog.regions import distance_km

    return distance_km(offer.region, region)


def _seller_names(providers: Iterable[str]) -> frozenset[str]:
    return frozenset(name for provider in providers for name in (provider, *sells_as(provider)))


def _shapes_of(offer: Offer, market: Market | None) -> list[Shape]:
    prices = {"on_demand": offer.on_demand_usd_per_hour, "spot": offer.spot_usd_per_hour}
    return [
        Shape(offer=offer, market=kind, usd_per_hour=price)
        for kind in _MARKETS
        if market in (None, kind) and (price := prices[kind]) is not None
    ]


def _identity(shape: Shape) -> tuple[object, ...]:
    offer = shape.offer
    return (
        offer.provider, offer.instance_type, offer.gpu, offer.gpu_count, shape.market, offer.region,
    )  # fmt: skip


def _per_gpu(shape: Shape) -> float:
    return shape.usd_per_hour / shape.offer.gpu_count


def _range(days: list[date]) -> str | None:
    if not days:
        return None
    first, last = days[0].isoformat(), days[-1].isoformat()
    return first if first == last else f"{first}/{last}"
