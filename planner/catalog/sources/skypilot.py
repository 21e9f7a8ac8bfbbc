"""Price lists in SkyPilot's CSV format: a file or an address, one provider each."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from planner.catalog.identity import (
    Distrusted,
    card_of,
    count_of,
    figures_are_of_one_card,
    interconnect_of,
    refuse_odd_board,
)
from planner.catalog.offer import Offer
from planner.catalog.providers import find_provider, offered_as
from planner.catalog.sanity import (
    OneCardPrices,
    lower_of,
    price_of,
    refuse_odd_price,
    true_spot,
    without_auction_floors,
)
from planner.catalog.sources.source import Quarantined, Reading, SourceUnavailable
from planner.catalog.sources.text import read_table, read_text
from planner.data_files import read_rows

_NEEDED = {"InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region"}
_FILE_WORDS = re.compile(r"[_-]?(vms|v\d+|older|catalog)", re.IGNORECASE)
_SPOT_ROW = re.compile(r"_+SPOT$")
_COUNTRY = re.compile(r"[A-Z]{2}")
_LONGEST_TEXT = 200


class SkyPilotCsv:
    """One list. `provider` is read from the name of the file or its folder where nobody says."""

    def __init__(self, place: str, provider: str | None = None) -> None:
        self._place = place
        self._provider = provider or _provider_of(place)

    @property
    def name(self) -> str:
        """Such as "skypilot:lambda"."""
        return f"skypilot:{self._provider.lower().replace(' ', '-')}"

    def read(self, now: datetime) -> Reading:
        """Every machine with a GPU; rows that cannot be trusted are set aside with the reason."""
        columns, table = read_table(self._place, read_text(self._place))
        missing = _NEEDED - set(columns)
        if missing:
            raise SourceUnavailable(
                "catalog.source_not_a_list", place=self._place, columns=tuple(sorted(missing))
            )
        rows = [_Row(line, cells) for line, cells in enumerate(table, start=1)]
        of_one_card = figures_are_of_one_card(_figures(rows))
        offers: list[Offer] = []
        aside: list[Quarantined] = []
        whole = [*self._joined(rows, aside)]
        singles = OneCardPrices(price for row in whole for price in row.prices())
        for row in whole:
            try:
                for card, market, count, price in row.prices():
                    singles.refuse(card, market, count, price)
                offers.append(self._offer(row, now.date(), of_one_card))
            except Distrusted as refusal:
                aside.append(self._aside(row, refusal))
        kept = without_auction_floors(_merged(offers))
        return Reading(tuple(kept), tuple(aside), len(rows))

    def _joined(self, rows: list["_Row"], aside: list[Quarantined]) -> Iterator["_Row"]:
        """Rows of whole machines: hosts with their GPUs added, spot rows with their machines, and
        no machines without GPUs.
        """
        parts = [row for row in rows if not row.instance_type and row.card]
        hosts = _hosts() if parts else {}
        used: set[int] = set()
        for row in _with_spot_rows([row for row in rows if row.instance_type]):
            if row.instance_type not in hosts:
                if row.card:
                    yield row
                continue
            host = hosts[row.instance_type]
            taken = [p for p in parts if any(p.is_part(*cards, row) for cards in host.cards)]
            if not taken and not host.is_sold_without:
                refusal = Distrusted("catalog.quarantine_host_alone", name=row.instance_type)
                aside.append(self._aside(row, refusal))
            used.update(part.line for part in taken)
            yield from (row.with_gpus(part) for part in taken)
        for part in parts:
            if part.line not in used:
                refusal = Distrusted("catalog.quarantine_gpu_alone", name=part.card)
                aside.append(self._aside(part, refusal))

    def _aside(self, row: "_Row", refusal: Distrusted) -> Quarantined:
        return Quarantined(
            source=self.name,
            line=row.line,
            provider=self._provider,
            instance_type=row.instance_type or row.card,
            reason=refusal.note,
            text=",".join(row.cells.values())[:_LONGEST_TEXT],
        )

    def _offer(self, row: "_Row", today: date, of_one_card: bool) -> Offer:
        info_name, figures = _info(row.cell("GpuInfo"))
        count = count_of(row.cell("AcceleratorCount"), row.card)
        hints = (info_name, row.instance_type, row.cell("UpstreamCloudId"))
        operator = _operator(row) or self._provider
        gpu = card_of(row.card, operator, hints, figures, count, of_one_card=of_one_card)
        refuse_odd_board(gpu, count)
        on_demand = price_of(row.cell("Price"))
        spot = true_spot(on_demand, price_of(row.cell("SpotPrice")))
        refuse_odd_price(gpu, count, on_demand, spot)
        region = _region(row)
        return Offer(
            provider=_seller(row, self._provider),
            instance_type=row.instance_type,
            gpu=gpu.name,
            gpu_count=count,
            interconnect=interconnect_of(gpu, count, f"{row.card} {row.instance_type}"),
            vcpus=price_of(row.cell("vCPUs")),
            host_ram_gib=price_of(row.cell("MemoryGiB")),
            region=region,
            on_demand_usd_per_hour=on_demand,
            spot_usd_per_hour=spot,
            as_of=None,
            gathered_on=today,
            source=self._place,
            is_sample=False,
            sold_out=region is None or (on_demand is None and spot is None),
        )


class _Row(NamedTuple):
    """One line of a list, by the names of its columns."""

    line: int
    cells: Mapping[str, str]

    def cell(self, name: str) -> str:
        """What stands under `name`; "" where nothing does."""
        return self.cells.get(name, "").strip()

    @property
    def instance_type(self) -> str:
        """The machine; "" for a GPU that is priced apart from its host."""
        return self.cell("InstanceType")

    @property
    def card(self) -> str:
        """The GPU as the list spells it."""
        return self.cell("AcceleratorName")

    @property
    def place(self) -> tuple[str, str]:
        """Region and zone."""
        return self.cell("Region"), self.cell("AvailabilityZone")

    def prices(self) -> Iterator[tuple[str, str, int, float | None]]:
        """Card, market, number of cards and price, of both markets."""
        number = price_of(self.cell("AcceleratorCount"))
        count = int(number) if number is not None and number.is_integer() else 0
        for market, column in (("on_demand", "Price"), ("spot", "SpotPrice")):
            yield self.card, market, count, price_of(self.cell(column))

    def is_part(self, card: str, count: int, host: "_Row") -> bool:
        """Whether this row prices the `count` GPUs of `host`, in the same place."""
        same = (self.card, price_of(self.cell("AcceleratorCount"))) == (card, float(count))
        return same and self.place == host.place

    def with_gpus(self, part: "_Row") -> "_Row":
        """The machine at the price of host and GPUs together; unknown where one of them is."""
        summed = {}
        for name in ("Price", "SpotPrice"):
            host, gpus = price_of(self.cell(name)), price_of(part.cell(name))
            summed[name] = "" if host is None or gpus is None else str(host + gpus)
        taken = {n: part.cell(n) for n in ("AcceleratorName", "AcceleratorCount", "GpuInfo")}
        return _Row(self.line, {**self.cells, **taken, **summed})


def _figures(rows: list[_Row]) -> Iterator[tuple[str, int, float]]:
    """Card, number of cards and memory figure of the rows that have all three."""
    for row in rows:
        count = price_of(row.cell("AcceleratorCount"))
        for figure in _info(row.cell("GpuInfo"))[1]:
            if count is not None and count.is_integer():
                yield row.card, int(count), figure


def _info(text: str) -> tuple[str, tuple[float, ...]]:
    """The card's name and memory figures in a GpuInfo cell: a Python dict, JSON, a bare name."""
    found: Any = None
    for reader in (json.loads, ast.literal_eval):
        try:
            found = reader(text.replace("null", "None") if reader is ast.literal_eval else text)
            break
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    if not isinstance(found, dict):
        return text, ()
    cards = _lowered(found).get("gpus")
    card = _lowered(cards[0]) if isinstance(cards, list) and cards else {}
    size = _lowered(card.get("memoryinfo")).get("sizeinmib")
    figures = (float(size),) if isinstance(size, int | float) and 0 < size < inf else ()
    return str(card.get("name") or ""), figures


def _lowered(found: object) -> dict[str, Any]:
    """A mapping with its keys in lower case; nothing where it is none."""
    return {str(k).lower(): v for k, v in found.items()} if isinstance(found, dict) else {}


def _region(row: _Row) -> str | None:
    """The region; the zone where the list gives only a country. Free text stays as it is."""
    region, zone = row.place
    if zone and _COUNTRY.fullmatch(region):
        return zone
    return region.strip(" ,") or None


def _seller(row: _Row, provider: str) -> str:
    """The provider, or the one a broker sells for ("lambdalabs__8xA100..." at Prime Intellect)."""
    operator = _operator(row)
    return offered_as(f"{operator} (via {provider})" if operator else provider)


def _operator(row: _Row) -> str:
    """Whose machine a broker sells; "" where the provider sells its own."""
    operator, mark, _ = row.instance_type.partition("__")
    return (find_provider(operator) or operator) if mark else ""


def _with_spot_rows(rows: list[_Row]) -> Iterator[_Row]:
    """Spot prices that stand in rows of their own join their machine, or stand alone."""
    spot = {
        (_SPOT_ROW.sub("", row.instance_type), row.place): row
        for row in rows
        if _SPOT_ROW.search(row.instance_type)
    }
    for row in rows:
        if _SPOT_ROW.search(row.instance_type):
            continue
        joined = spot.pop((row.instance_type, row.place), None)
        if joined is None:
            yield row
        else:
            price = joined.cell("SpotPrice") or joined.cell("Price")
            yield _Row(row.line, {**row.cells, "SpotPrice": price})
    for (instance_type, _), row in spot.items():
        price = row.cell("SpotPrice") or row.cell("Price")
        yield _Row(
            row.line,
            {**row.cells, "InstanceType": instance_type, "Price": "", "SpotPrice": price},
        )


def _merged(offers: list[Offer]) -> list[Offer]:
    """One offer per machine and region: zones and repeated rows at the lowest of their prices."""
    found: dict[tuple[object, ...], Offer] = {}
    for one in offers:
        key = (one.provider, one.instance_type, one.gpu, one.gpu_count, one.region)
        other = found.get(key)
        found[key] = one if other is None else _cheaper(other, one)
    return list(found.values())


def _cheaper(one: Offer, other: Offer) -> Offer:
    return one._replace(
        on_demand_usd_per_hour=lower_of(one.on_demand_usd_per_hour, other.on_demand_usd_per_hour),
        spot_usd_per_hour=lower_of(one.spot_usd_per_hour, other.spot_usd_per_hour),
        sold_out=one.sold_out and other.sold_out,
    )


class _Host(NamedTuple):
    """A machine whose GPUs are priced apart: which it takes, and whether it is sold without any."""

    cards: tuple[tuple[str, int], ...]
    is_sold_without: bool


def _hosts() -> dict[str, _Host]:
    found: dict[str, _Host] = {}
    for row in read_rows("planner.catalog", "gcp_hosts.csv"):
        name, cards = row["instance_type"], (row["gpu"], int(row["gpu_count"]))
        known = found[name].cards if name in found else ()
        found[name] = _Host((*known, cards), row["sold_without_gpus"] == "y")
    return found


def _provider_of(place: str) -> str:
    """Whose list it is by its name: "verda_vms.csv", "verda/vms.csv"; as it is where nobody knows
    the provider.
    """
    path = Path(place)
    names = [_FILE_WORDS.sub("", path.stem), path.parent.name]
    known = next((found for name in names if (found := find_provider(name))), None)
    if known is not None:
        return known
    if not names[0]:
        raise SourceUnavailable("catalog.source_whose_list", place=place)
    return names[0]
