"""A team's own machines: a CSV or YAML file with the columns of the template."""

from collections.abc import Mapping
from datetime import date, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

from planner.catalog.identity import (
    Distrusted,
    card_of,
    count_of,
    interconnect_of,
    refuse_odd_board,
)
from planner.catalog.offer import Offer
from planner.catalog.sanity import price_of, true_spot
from planner.catalog.sources.source import Quarantined, Reading, SourceUnavailable
from planner.catalog.sources.text import read_table, read_text
from planner.errors import BadInput
from planner.gpus import registry as gpus
from planner.gpus.gpu import Gpu

_NEEDED = ("provider", "instance_type", "gpu", "gpu_count")
_FABRICS = {"single", "pcie", "nvlink", "nvlink-bridge", "unknown"}
_FABRICS_BETWEEN = {"infiniband", "efa", "rdma"}
_LONGEST_TEXT = 200


def template_text() -> str:
    """A documented example of such a file."""
    return (files("planner.catalog") / "data" / "team_template.csv").read_text(encoding="utf-8")


class TeamFile:
    """One file of a team. What it says is taken at its word: nobody else knows its prices."""

    def __init__(self, path: str) -> None:
        self._path = path

    @property
    def name(self) -> str:
        """Such as "team:prices.csv"."""
        return f"team:{Path(self._path).name}"

    def read(self, now: datetime) -> Reading:
        """Every machine of the file; a line that cannot be read is set aside with the reason."""
        rows = self._rows()
        offers: list[Offer] = []
        aside: list[Quarantined] = []
        for line, row in enumerate(rows, start=1):
            try:
                offers.append(self._offer(row, now.date()))
            except Distrusted as refusal:
                aside.append(
                    Quarantined(
                        source=self.name,
                        line=line,
                        provider=_cell(row, "provider"),
                        instance_type=_cell(row, "instance_type"),
                        reason=refusal.note,
                        text=",".join(str(value) for value in row.values())[:_LONGEST_TEXT],
                    )
                )
        return Reading(tuple(offers), tuple(aside), len(rows))

    def _rows(self) -> list[Mapping[str, Any]]:
        text = read_text(self._path)
        if self._path.endswith((".yaml", ".yml")):
            return self._yaml(text)
        lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
        columns, rows = read_table(self._path, "\n".join(lines))
        missing = tuple(name for name in _NEEDED if name not in columns)
        if missing:
            raise SourceUnavailable("catalog.source_not_a_list", place=self._path, columns=missing)
        return list(rows)

    def _yaml(self, text: str) -> list[Mapping[str, Any]]:
        import yaml

        try:
            found = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise SourceUnavailable("catalog.source_unreadable", place=self._path) from error
        if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
            raise SourceUnavailable("catalog.source_not_a_list", place=self._path, columns=_NEEDED)
        return found

    def _offer(self, row: Mapping[str, Any], today: date) -> Offer:
        blank = next((name for name in _NEEDED if not _cell(row, name)), None)
        if blank is not None:
            raise Distrusted("catalog.quarantine_blank", column=blank)
        typed, provider = _cell(row, "gpu"), _cell(row, "provider")
        count = count_of(_cell(row, "gpu_count"), typed)
        gpu = _gpu(typed, provider, count)
        on_demand = _number(row, "on_demand_usd_per_hour")
        return Offer(
            provider=provider,
            instance_type=_cell(row, "instance_type"),
            gpu=gpu.name,
            gpu_count=count,
            interconnect=_fabric(row) or interconnect_of(gpu, count, typed),
            vcpus=_number(row, "vcpus"),
            host_ram_gib=_number(row, "host_ram_gib"),
            region=_cell(row, "region") or None,
            on_demand_usd_per_hour=on_demand,
            spot_usd_per_hour=true_spot(on_demand, _number(row, "spot_usd_per_hour")),
            as_of=_day(_cell(row, "as_of")),
            gathered_on=today,
            source=self._path,
            is_sample=False,
        )


def _cell(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value).strip()


def _gpu(typed: str, provider: str, count: int) -> Gpu:
    """The SKU; a bare name with several sizes is the smaller one, as in any row of a list. A name
    that is several cards is not chosen among: the team knows which it has.
    """
    try:
        gpus.find(typed)
    except BadInput as refusal:
        raise Distrusted("catalog.quarantine_unknown_card", name=typed) from refusal
    gpu = card_of(typed, provider, (), (), count)
    refuse_odd_board(gpu, count)
    return gpu


def _number(row: Mapping[str, Any], name: str) -> float | None:
    """What stands in a cell, None where it is blank or 0; Distrusted where it is no number."""
    cell = _cell(row, name)
    number = price_of(cell)
    if number is None and cell.strip("0."):
        raise Distrusted("catalog.quarantine_number", column=name, text=cell)
    return number


def _fabric(row: Mapping[str, Any]) -> str:
    """How the cards talk, "" where nothing is said; Distrusted where it is none Muat knows."""
    cell = _cell(row, "interconnect").lower()
    inside, *between = cell.split("+")
    if cell and (inside not in _FABRICS or not _FABRICS_BETWEEN.issuperset(between)):
        raise Distrusted("catalog.quarantine_interconnect", text=cell)
    return cell


def _day(cell: str) -> date | None:
    if not cell:
        return None
    try:
        return date.fromisoformat(cell)
    except ValueError:
        raise Distrusted("catalog.quarantine_date", day=cell) from None
