"""Catalogs to test with: the bundled one in a folder of its own, and one of given offers."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from planner.catalog.build import write_catalog
from planner.catalog.offer import Offer
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
