"""Catalogs to test with: the bundled one in a folder of its own, and one of given offers."""

import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from planner.catalog.build import write_catalog
from planner.catalog.offer import Offer
from planner.catalog.refresh import RefreshReport, refresh
from planner.catalog.sources.source import Quarantined, Reading, SourceUnavailable
from planner.catalog.store import Catalog, open_catalog


def an_offer(**changes: Any) -> Offer:
    """A priced one-GPU offer, changed as asked."""
    plain: dict[str, Any] = {
        "provider": "Lambda",
        "instance_type": "one",
        "gpu": "A100-SXM4-80GB",
        "gpu_count": 1,
        "interconnect": "single",
        "vcpus": 8.0,
        "host_ram_gib": 64.0,
        "region": "us-east-1",
        "on_demand_usd_per_hour": 2.0,
        "spot_usd_per_hour": None,
        "as_of": date(2026, 11, 30),
        "gathered_on": date(2026, 12, 1),
        "source": "test",
        "is_sample": False,
    }
    return Offer(**{**plain, **changes})


@pytest.fixture
def offer() -> Callable[..., Offer]:
    """Makes offers."""
    return an_offer


@pytest.fixture
def catalog_of(tmp_path: Path) -> Iterator[Callable[..., Catalog]]:
    """Makes a catalog of the given offers, closed afterwards."""
    opened: list[Catalog] = []

    def make(*offers: Offer) -> Catalog:
        path = tmp_path / f"{len(opened)}.sqlite"
        write_catalog(offers, path)
        opened.append(open_catalog(path))
        return opened[-1]

    yield make
    for catalog in opened:
        catalog.close()


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    """The bundled catalog, built in a folder of its own."""
    catalog = open_catalog(cache_folder=tmp_path_factory.mktemp("cache"))
    yield catalog
    catalog.close()


class FakeSource:
    """A source that says what it is given, or cannot be reached."""

    def __init__(
        self,
        name: str,
        *offers: Offer,
        quarantined: tuple[Quarantined, ...] = (),
        fails: bool = False,
    ) -> None:
        self.name = name
        self._reading = Reading(offers, quarantined, len(offers) + len(quarantined))
        self._fails = fails

    def read(self, now: datetime) -> Reading:
        """What it was given, or that it cannot be reached."""
        if self._fails:
            raise SourceUnavailable("catalog.no_file", path=self.name)
        return self._reading


@pytest.fixture
def fake_source() -> type[FakeSource]:
    """Makes sources."""
    return FakeSource


@pytest.fixture
def refreshed(tmp_path: Path) -> Callable[..., RefreshReport]:
    """Refreshes catalog.sqlite in a folder of its own from sources, on a day of December 2026."""

    def make(*sources: FakeSource, day: int = 1) -> RefreshReport:
        now = datetime(2026, 12, day, 12, tzinfo=UTC)
        catalog, history = tmp_path / "catalog.sqlite", tmp_path / "history.sqlite"
        return refresh(sources, catalog, history, now, lambda name, done, total: None)

    return make


@pytest.fixture
def make_first_layout() -> Callable[[Path], None]:
    """Takes out of a catalog what its first layout did not have."""

    def make(path: Path) -> None:
        connection = sqlite3.connect(path)
        with connection:
            connection.execute("DROP VIEW priced")
            for table in ("shapes", "sources", "quarantined"):
                connection.execute(f"DROP TABLE {table}")  # names above
            connection.execute("ALTER TABLE offers DROP COLUMN feed")
            connection.execute("DELETE FROM meta")
            connection.execute("INSERT INTO meta VALUES ('schema_version', '1')")
        connection.close()

    return make
