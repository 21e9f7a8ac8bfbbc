"""What to look for in a catalog, as SQL over its shapes or its prices."""

import sqlite3
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from planner.catalog.needs import FABRICS, provider_meets
from planner.catalog.providers import sells_as
from planner.gpus.registry import names_of_memory
from planner.query import Market, Need

if TYPE_CHECKING:
    from planner.catalog.regions import Region


class Filters(TypedDict, total=False):
    """What a reader may ask of a catalog; None, or nothing said, does not filter.

    `memory_gb` is what a card is sold with, `interconnect` one part of a machine's ("nvlink",
    "infiniband"), `max_usd_per_hour` for the whole machine. An offer in an unknown place is in no
    region, and a need that nobody stated is not met.
    """

    gpus: Collection[str] | None
    memory_gb: float | None
    interconnect: str | None
    providers: Collection[str] | None
    region: "Region | None"
    market: Market | None
    needs: Collection[Need]
    max_usd_per_hour: float | None


class Wanted(NamedTuple):
    """The rows that are wanted, as a SELECT whose rows have `km`, and its parameters."""

    rows: str
    values: tuple[object, ...]


class Table(NamedTuple):
    """Rows to choose from: the shapes, or the view of all prices; `flag` leaves some out."""

    name: str
    flag: str = "1"

    def distinct(self, connection: sqlite3.Connection, column: str) -> list[str | None]:
        """The values of a column."""
        # Only names that are written in this package are put together.
        query = f"SELECT DISTINCT {column} FROM {self.name} WHERE {self.flag}"
        return [value for (value,) in connection.execute(query)]


PRICED = Table("priced")
#: The best of every kind, wherever and by whomever it is sold.
BEST = Table("shapes", "best")


def shapes_for(filters: Filters) -> Table:
    """The shapes, as few as hold the best of every kind that passes the filters."""
    by_provider = filters.get("providers") is not None or any(
        need not in FABRICS for need in filters.get("needs", ())
    )
    if filters.get("region") is not None:
        return Table("shapes") if by_provider else Table("shapes", "best_of_region")
    return Table("shapes", "best_of_provider") if by_provider else BEST


def shapes_by_provider(filters: Filters) -> Table:
    """The shapes, as few as hold the best of every kind of every provider."""
    whole = filters.get("region") is not None
    return Table("shapes") if whole else Table("shapes", "best_of_provider")


def wanted(connection: sqlite3.Connection, table: Table, filters: Filters) -> Wanted:
    """A SELECT of the rows of `table` that pass every filter."""
    clauses, values = _clauses(connection, table, filters)
    where = " AND ".join((table.flag, *clauses))
    region = filters.get("region")
    # Values are parameters; what is put together are names written in this package, and marks.
    if region is None:
        return Wanted(f"SELECT *, 0.0 AS km FROM {table.name} WHERE {where}", values)
    places = _places(connection, table, region)
    marks = ", ".join("(?, ?)" for _ in places) or "(NULL, NULL)"
    rows = (
        f"WITH place (at, km) AS (VALUES {marks}) SELECT {table.name}.*, km"
        f" FROM place CROSS JOIN {table.name} ON region = at WHERE {where}"
    )
    return Wanted(rows, (*(cell for place in places for cell in place), *values))


def seller_names(providers: Iterable[str]) -> frozenset[str]:
    """The names under which these providers' offers appear."""
    return frozenset(name for provider in providers for name in (provider, *sells_as(provider)))


def _clauses(
    connection: sqlite3.Connection, table: Table, filters: Filters
) -> tuple[list[str], tuple[object, ...]]:
    clauses: list[str] = []
    values: list[object] = []

    def add(clause: str, *found: object) -> None:
        clauses.append(clause)
        values.extend(found)

    for column, names in _listed(connection, table, filters):
        add(f"{column} IN ({', '.join('?' * len(names))})", *sorted(names))
    fabrics = [FABRICS[need] for need in filters.get("needs", ()) if need in FABRICS]
    for part in (*fabrics, filters.get("interconnect")):
        if part is not None:
            add("instr('+' || interconnect || '+', '+' || ? || '+')", part.lower())
    if (market := filters.get("market")) is not None:
        add("market = ?", market)
    if (most := filters.get("max_usd_per_hour")) is not None:
        add("usd_per_hour <= ?", most)
    return clauses, tuple(values)


def _listed(
    connection: sqlite3.Connection, table: Table, filters: Filters
) -> list[tuple[str, Collection[str]]]:
    """Columns of which some values are wanted, and those."""
    found: list[tuple[str, Collection[str]]] = []
    if (gpus := filters.get("gpus")) is not None:
        found.append(("gpu", gpus))
    if (memory := filters.get("memory_gb")) is not None:
        found.append(("gpu", names_of_memory(memory)))
    if (providers := filters.get("providers")) is not None:
        found.append(("provider", seller_names(providers)))
    stated = [need for need in filters.get("needs", ()) if need not in FABRICS]
    if stated:
        sellers = [name or "" for name in table.distinct(connection, "provider")]
        meeting = [s for s in sellers if all(provider_meets(s, need) for need in stated)]
        found.append(("provider", meeting))
    return found


def _places(
    connection: sqlite3.Connection, table: Table, region: "Region"
) -> list[tuple[str | None, float]]:
    """The regions of the rows that lie in (or near) the one asked for, and how far away."""
    from planner.catalog.regions import distance_km

    named = table.distinct(connection, "region")
    distances = [(name, distance_km(name, region)) for name in named]
    return [(name, km) for name, km in distances if km is not None]
