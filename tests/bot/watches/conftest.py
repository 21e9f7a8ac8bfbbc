"""A store on either database, and a catalog whose one price a test moves."""

import secrets
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine

from bot.store.engine import open_store
from bot.watches.checking import Prices
from planner.catalog.build import Contents, write_contents
from planner.catalog.offer import Offer
from planner.catalog.reports import SourceReport
from planner.catalog.rows import cells_of
from tests.standins.postgres import server_url

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    if request.param == "sqlite":
        engine = open_store(f"sqlite:///{tmp_path / 'team.sqlite'}")
    else:
        engine = open_store(server_url(f"t{secrets.token_hex(6)}"))
    yield engine
    engine.dispose()


class Market:
    """The prices a test sets: each `sell` is a catalog that was read at `at`."""

    def __init__(self, path: Path) -> None:
        self.prices = Prices(path, 1 / 16667)
        self._path = path

    def sell(self, usd: float | None, at: datetime, gpu: str = "A100-SXM4-80GB") -> None:
        """One machine, at `usd` an hour on-demand; None is a price nobody knows."""
        offer = Offer(
            provider="Lambda", instance_type=f"1x {gpu}", gpu=gpu, gpu_count=1,
            interconnect="single", vcpus=8.0, host_ram_gib=200.0, region="us-east-1",
            on_demand_usd_per_hour=usd, spot_usd_per_hour=None, as_of=date(2026, 12, 1),
            gathered_on=date(2026, 12, 1), source="test", is_sample=False,
        )  # fmt: skip
        report = SourceReport(
            name="test", status="read", rows_read=1, offers=1, quarantined=0, note=None, read_at=at
        )
        write_contents(Contents([cells_of(offer, "test")], (report,), built_at=at), self._path)


@pytest.fixture
def market(tmp_path: Path) -> Market:
    return Market(tmp_path / "catalog.sqlite")
