"""Offers as rows of a table, and back."""

import sqlite3
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache, lru_cache
from types import NoneType
from typing import Any

from planner.catalog.offer import Offer
from planner.errors import BadInput

#: One offer as the cells of a row, by column.
Cells = dict[str, Any]

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
#: Which source said it: the name under which rows replace each other.
FEED = "feed"
#: The source of rows that do not say: until layout 2 a catalog held nothing else.
UNNAMED_FEED = "bundled"


def cells_of(offer: Offer, feed: str) -> Cells:
    """The row of an offer that the source `feed` states."""
    cells: Cells = {name: getattr(offer, name) for name in COLUMNS}
    for day in ("as_of", "gathered_on"):
        cells[day] = cells[day].isoformat() if cells[day] else None
    return tidy({**cells, FEED: feed})


def tidy(cells: Mapping[str, Any]) -> Cells:
    """The row with every stored column and no other; a price of zero is an unknown one."""
    found = {name: cells.get(name) for name in COLUMNS}
    for price in ("on_demand_usd_per_hour", "spot_usd_per_hour"):
        found[price] = found[price] or None
    found["interconnect"] = found["interconnect"] or "unknown"
    found["source"] = found["source"] or ""
    found["is_sample"] = int(bool(found["is_sample"]))
    found["sold_out"] = int(bool(found["sold_out"]))
    return {FEED: cells.get(FEED) or UNNAMED_FEED, **found}


def stored_cells(connection: sqlite3.Connection) -> Iterator[Cells]:
    """Every stored offer as it stands; columns nobody knows are left out, missing ones None."""
    rows = connection.execute("SELECT * FROM offers ORDER BY rowid")
    names = [column[0] for column in rows.description]
    return (tidy(dict(zip(names, row, strict=True))) for row in rows)


def offer_from(cells: Mapping[str, Any]) -> Offer:
    """The offer in a row, as `offer_of` gives it."""
    return offer_of(tuple(cells[name] for name in COLUMNS))


@lru_cache(maxsize=4096)
def offer_of(values: tuple[Any, ...]) -> Offer:
    """The offer of the values of COLUMNS; its spot price is left out where it is not below
    on-demand. It is kept, as one plan after the other reads the same rows.

    BadInput names the column that holds what no offer can.
    """
    found = _as_stored(values) if _are_stored_types(tuple(map(type, values))) else None
    return without_false_spot(found or _checked(dict(zip(COLUMNS, values, strict=True))))


_MAY_BE_UNKNOWN = frozenset(
    {
        "vcpus", "host_ram_gib", "region", "on_demand_usd_per_hour", "spot_usd_per_hour",
        "as_of", "gathered_on", "note",
    }
)  # fmt: skip


@cache
def _are_stored_types(types: tuple[type, ...]) -> bool:
    """Whether cells of these types, by column, are an offer's as they stand."""
    return all(
        found is kind or (found is NoneType and name in _MAY_BE_UNKNOWN)
        for found, (name, kind) in zip(types, COLUMNS.items(), strict=True)
    )


_PLACES = {name: place for place, name in enumerate(COLUMNS)}
_DAYS = (_PLACES["as_of"], _PLACES["gathered_on"])
_FLAGS = (_PLACES["is_sample"], _PLACES["sold_out"])


def _as_stored(values: tuple[Any, ...]) -> Offer | None:
    """The offer of values that are all of their column's type; None where a date is none."""
    found = list(values)
    try:
        for place in _DAYS:
            found[place] = _day(found[place])
    except ValueError:
        return None
    for place in _FLAGS:
        found[place] = bool(found[place])
    return Offer._make(found)


@cache
def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _checked(cells: Cells) -> Offer:
    """The offer of cells that another program wrote; BadInput names the column at fault."""
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(Offer).validate_python(cells)
    except ValidationError as error:
        bad = ", ".join(str(part) for part in error.errors()[0]["loc"])
        raise BadInput(
            "catalog.bad_offer",
            offer=f"{cells['provider']} {cells['instance_type']}",
            column=bad,
        ) from error


def without_false_spot(offer: Offer) -> Offer:
    """The offer without a spot price that is not below its on-demand price."""
    spot, on_demand = offer.spot_usd_per_hour, offer.on_demand_usd_per_hour
    if spot is None or on_demand is None or spot < on_demand:
        return offer
    return offer._replace(spot_usd_per_hour=None)
