"""Made-up offers, the same ones on every run: as many as wanted, shaped as real feeds are.

Every provider sells some cards in some regions; each of those in several machines (CPUs, RAM) whose
prices differ a little. Nothing in them is a real price.
"""

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime

from planner.catalog.offer import Offer
from planner.catalog.sources.source import Reading
from planner.data_files import read_rows
from planner.gpus.registry import get, planned_names

SEED = 20261201
DAY = date(2026, 12, 1)


class SyntheticSource:
    """A source of `size` made-up offers; `factor` multiplies every price."""

    name = "synthetic"

    def __init__(self, size: int, factor: float = 1.0) -> None:
        self._size, self._factor = size, factor

    def read(self, now: datetime) -> Reading:
        """All of them, as of the day of `now`."""
        offers = tuple(synthetic_offers(self._size, now.astimezone(UTC).date(), self._factor))
        return Reading(offers, (), len(offers))


def synthetic_offers(size: int, day: date = DAY, factor: float = 1.0) -> Iterator[Offer]:
    """`size` offers, drawn with a fixed seed."""
    draw = random.Random(SEED)  # noqa: S311  # a repeatable draw is what is wanted
    providers = [row["name"] for row in read_rows("planner.catalog", "providers.csv")]
    places = [
        code for row in read_rows("planner.catalog", "regions.csv")
        for code in row["codes"].split(";") if len(code) > 4
    ]  # fmt: skip
    cards = sorted(planned_names())
    sold = {name: draw.sample(cards, draw.randint(8, 20)) for name in providers}
    regions = {name: draw.sample(places, draw.randint(5, 40)) for name in providers}
    for number in range(size):
        provider = draw.choice(providers)
        card, count = draw.choice(sold[provider]), draw.choice((1, 1, 2, 4, 8))
        usd = round(count * _usd_per_gpu(card) * draw.uniform(0.6, 1.8) * factor, 4)
        yield Offer(
            provider=provider,
            instance_type=f"{card.lower()}-{count}-{number % 97}",
            gpu=card,
            gpu_count=count,
            interconnect=_fabric(card, count, draw),
            vcpus=8.0 * count,
            host_ram_gib=draw.choice((None, 32.0, 64.0, 128.0, 256.0)),
            region=draw.choice(regions[provider]),
            on_demand_usd_per_hour=usd,
            spot_usd_per_hour=round(usd * draw.uniform(0.3, 0.9), 4) if number % 3 == 0 else None,
            as_of=day,
            gathered_on=day,
            source="made up",
            is_sample=False,
        )


def _usd_per_gpu(card: str) -> float:
    """A plausible order of size: two cents an hour for each GB."""
    return 0.02 * get(card).memory_gb_marketed


def _fabric(card: str, count: int, draw: random.Random) -> str:
    if count == 1:
        return "single"
    inside = "nvlink" if "SXM" in card else "pcie"
    joined = count == 8 and draw.random() < 0.3
    return f"{inside}+infiniband" if joined else inside
