"""A team's own machines: a CSV or YAML file with the columns of the template."""

import csv
import io
from collections.abc import Mapping
from datetime import date, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

from planner.catalog.identity import Distrusted, count_of, interconnect_of
from planner.catalog.offer import Offer
from planner.catalog.sanity import price_of, true_spot
from planner.catalog.sources.source import Quarantined, Reading, SourceUnavailable
from planner.catalog.sources.text import read_text
from planner.errors import BadInput
from planner.gpus import registry as gpus

_NEEDED = ("provider", "instance_type", "gpu", "gpu_count")
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
            rows = self._yaml(text)
        else:
            lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
            rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
        missing = tuple(name for name in _NEEDED if rows and name not in rows[0])
        if missing:
            raise SourceUnavailable("catalog.source_not_a_list", place=self._path, columns=missing)
        return rows

    def _yaml(self, text: str) -> list[Mapping[str, Any]]:
        import yaml

        try:
            found = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise SourceUnavailable("catalog.source_unreadable", place=self._path) from error
        if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
            raise SourceUnavailable("catalog.source_not_a_list", place=self._path, columns=_NEEDED)
        return found

    def _offer(self, row: Mapping[str, Any], today: date) -> Offer:
        typed = _cell(row, "gpu")
        count = count_of(_cell(row, "gpu_count"), typed)
        try:
            gpu = gpus.find(typed).gpu
        except BadInput as refusal:
            raise Distrusted("catalog.quarantine_unknown_card", name=typed) from refusal
        on_demand = price_of(_cell(row, "on_demand_usd_per_hour"))
        return Offer(
            provider=_cell(row, "provider"),
            instance_type=_cell(row, "instance_type"),
            gpu=gpu.name,
            gpu_count=count,
            interconnect=_cell(row, "interconnect") or interconnect_of(gpu, count, typed),
            vcpus=price_of(_cell(row, "vcpus")),
            host_ram_gib=price_of(_cell(row, "host_ram_gib")),
            region=_cell(row, "region") or None,
            on_demand_usd_per_hour=on_demand,
            spot_usd_per_hour=true_spot(on_demand, price_of(_cell(row, "spot_usd_per_hour"))),
            as_of=_day(_cell(row, "as_of")),
            gathered_on=today,
            source=self._path,
            is_sample=False,
        )


def _cell(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value).strip()


def _day(cell: str) -> date | None:
    if not cell:
        return None
    try:
        return date.fromisoformat(cell)
    except ValueError:
        raise Distrusted("catalog.quarantine_date", day=cell) from None
