"""An offer: one machine somebody rents out, at the price and date it was seen."""

from datetime import date
from typing import NamedTuple


class Offer(NamedTuple):
    """One row of the catalog. Prices are USD per hour for the whole instance; None is unknown,
    never 0.

    `gpu` is the canonical SKU name of planner.gpus. `as_of` is the day the provider's price was
    valid, `gathered_on` the day Muat's source was read. `interconnect` is one of single, pcie,
    nvlink, nvlink-bridge, unknown, with `+infiniband`, `+efa` or `+rdma` where nodes are joined by
    that fabric.
    """

    provider: str
    instance_type: str
    gpu: str
    gpu_count: int
    interconnect: str
    vcpus: float | None
    host_ram_gib: float | None
    region: str | None
    on_demand_usd_per_hour: float | None
    spot_usd_per_hour: float | None
    as_of: date | None
    gathered_on: date | None
    source: str
    is_sample: bool
    note: str | None = None
    sold_out: bool = False


class Shape(NamedTuple):
    """What the planner sees of the catalog: the cheapest offer of one kind of machine in one
    market.

    One row per provider, instance type, GPU, count, market and region; `offer` holds the details.
    """

    offer: Offer
    market: str
    usd_per_hour: float
