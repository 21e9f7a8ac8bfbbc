"""The offers the package ships: a sample gathered on the date each row carries."""

import hashlib
from datetime import date, datetime
from importlib.resources import files

from planner.catalog.offer import Offer
from planner.catalog.providers import offered_as
from planner.catalog.sources.source import Reading
from planner.data_files import read_rows

_PACKAGE = "planner.catalog"
_FILES = ("offers.csv", "providers.csv")
_SOLD_OUT = "sold out"


class Bundled:
    """The offers the package ships, as a source: always there, always called a sample."""

    name = "bundled"

    def read(self, now: datetime) -> Reading:
        """Every bundled offer."""
        offers = bundled_offers()
        return Reading(offers, (), len(offers))


def bundled_offers() -> tuple[Offer, ...]:
    """Every bundled offer, priced or not."""
    return tuple(_offer(row) for row in read_rows(_PACKAGE, "offers.csv"))


def bundled_digest() -> str:
    """A short digest of the files the offers come from: it changes when an upgrade changes them."""
    digest = hashlib.sha256()
    for name in _FILES:
        digest.update((files(_PACKAGE) / "data" / name).read_bytes())
    return digest.hexdigest()[:12]


#: Quotes that are not what anybody pays: a "from" price is a floor, and a GPU meter leaves the host
#: out. Such a price is unknown, not low.
_NO_ON_DEMAND = frozenset({"from", "without_host"})
_NO_SPOT = frozenset({"from", "spot_from", "without_host"})


def _offer(row: dict[str, str]) -> Offer:
    quoted = row["quoted"]
    return Offer(
        provider=offered_as(row["provider"]),
        instance_type=row["instance_type"],
        gpu=row["gpu"],
        gpu_count=int(row["gpu_count"]),
        interconnect=_interconnect(row["interconnect"]),
        vcpus=_at_least(row["vcpus"]),
        host_ram_gib=_at_least(row["ram_gib"]),
        region=None if row["region"] == _SOLD_OUT else row["region"] or None,
        on_demand_usd_per_hour=_price(row["on_demand_usd_hr"], quoted not in _NO_ON_DEMAND),
        spot_usd_per_hour=_price(row["spot_usd_hr"], quoted not in _NO_SPOT),
        as_of=date.fromisoformat(row["as_of"]) if row["as_of"] else None,
        gathered_on=date.fromisoformat(row["gathered_on"]),
        source=row["source"],
        is_sample=True,
        note=row["note"] or None,
        sold_out=row["region"] == _SOLD_OUT,
    )


def _price(cell: str, is_paid: bool) -> float | None:
    """A price that somebody pays; a blank, a zero or a mere floor is unknown."""
    return float(cell) or None if cell and is_paid else None


def _at_least(cell: str) -> float | None:
    """A size; ">=64" is what is sure, 64."""
    return float(cell.removeprefix(">=")) if cell else None


def _interconnect(cell: str) -> str:
    """The fabric inside the machine first, then the one between machines."""
    inside = {"single", "pcie", "nvlink", "nvlink-bridge", "unknown"}
    return "+".join(sorted(cell.lower().split("+"), key=lambda part: part not in inside))
