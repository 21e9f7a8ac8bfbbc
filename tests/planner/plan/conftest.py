"""Plans at prices made by hand."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest

from planner.catalog.offer import Offer, Shape
from planner.models.registry import resolve
from planner.plan.plan import Prices, plan
from planner.plan.result import CatalogFacts, Plan
from planner.query import PlanQuery

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
FACTS = CatalogFacts(
    as_of="2026-12-01", gathered_on="2026-12-01", age_hours=12.0, freshness="fresh", offers=0
)


def _machine(gpu: str, count: int = 1, usd: float = 1.0, **changes: Any) -> Shape:
    """`count` GPUs of one kind for `usd` an hour; `market="spot"` makes it a spot offer."""
    market = changes.pop("market", "on_demand")
    plain: dict[str, Any] = {
        "provider": "Lambda",
        "instance_type": f"{count}x-{gpu}-{usd}",
        "gpu": gpu,
        "gpu_count": count,
        "interconnect": "single" if count == 1 else "pcie",
        "vcpus": 16.0,
        "host_ram_gib": None,
        "region": "us-east-1",
        "on_demand_usd_per_hour": None,
        "spot_usd_per_hour": None,
        "as_of": date(2026, 12, 1),
        "gathered_on": date(2026, 12, 1),
        "source": "test",
        "is_sample": False,
        f"{market}_usd_per_hour": usd,
    }
    return Shape(offer=Offer(**{**plain, **changes}), market=market, usd_per_hour=usd)


def _plan_for(model: str, *shapes: Shape, same_name: tuple[str, ...] = (), **said: Any) -> Plan:
    query = PlanQuery.model_validate({"model": model, **said})
    return plan(query, resolve(model).architecture, Prices(shapes, FACTS), NOW, same_name)


@pytest.fixture(scope="session")
def machine() -> Callable[..., Shape]:
    """Makes priced machines: `machine("H100-SXM5", 8, 20.0, interconnect="nvlink")`."""
    return _machine


@pytest.fixture(scope="session")
def plan_for() -> Callable[..., Plan]:
    """Plans for a registry model on given machines: `plan_for("llama-3.1-8b", one, two, ...)`."""
    return _plan_for
