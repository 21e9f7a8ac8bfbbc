"""Finding few offers among many: the shapes worked out beforehand lose nobody's best choice."""

import random
from collections.abc import Callable, Iterable, Iterator
from math import inf
from pathlib import Path
from typing import Any

import pytest

from planner.catalog.build import write_catalog
from planner.catalog.needs import provider_meets
from planner.catalog.offer import Offer, Shape
from planner.catalog.providers import sells_as
from planner.catalog.regions import distance_km, find_region
from planner.catalog.store import Catalog, open_catalog
from planner.gpus.registry import get

MakeOffer = Callable[..., Offer]
MakeCatalog = Callable[..., Catalog]

NEAR_JAKARTA = find_region("near jakarta")
FILTERS: list[dict[str, Any]] = [
    {},
    {"market": "spot"},
    {"gpus": ["H100-SXM5", "A100-SXM4-80GB"]},
    {"providers": ["RunPod"]},
    {"providers": ["RunPod", "Lambda"], "market": "on_demand"},
    {"region": NEAR_JAKARTA},
    {"region": find_region("us-east-1")},
    {"region": find_region("us"), "providers": ["Crusoe"]},
    {"needs": ["docker"]},
    {"needs": ["infiniband"]},
    {"needs": ["docker", "infiniband"], "region": NEAR_JAKARTA},
    {"interconnect": "nvlink"},
    {"memory_gb": 24},
    {"max_usd_per_hour": 3.0},
    {"max_usd_per_hour": 3.0, "region": NEAR_JAKARTA, "memory_gb": 80, "needs": ["docker"]},
    {"providers": ["nobody"]},
    {"region": find_region("surabaya")},
]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    """Six hundred offers, drawn so that many compete for the same kind of machine."""
    path = tmp_path_factory.mktemp("mixed") / "catalog.sqlite"
    write_catalog(drawn(600), path)
    with open_catalog(path) as catalog:
        yield catalog


def drawn(size: int) -> Iterator[Offer]:
    draw = random.Random(7)  # noqa: S311  # the same offers on every run
    for number in range(size):
        usd = draw.choice((None, 1.0, 2.0, draw.uniform(0.5, 9)))
        yield Offer(
            provider=draw.choice(("RunPod", "Lambda", "Crusoe", "Crusoe (via Shadeform)")),
            instance_type=f"type-{number % 11}",
            gpu=draw.choice(("H100-SXM5", "A100-SXM4-80GB", "RTX-4090")),
            gpu_count=draw.choice((1, 8)),
            interconnect=draw.choice(("nvlink", "nvlink+infiniband", "pcie")),
            host_ram_gib=draw.choice((None, 64.0, 128.0)),
            region=draw.choice((None, "us-east-1", "us-east-1-a", "Jakarta", "Singapore, SG")),
            on_demand_usd_per_hour=usd,
            spot_usd_per_hour=draw.choice((None, 0.7, 1.0)),
            sold_out=draw.random() < 0.1,
            vcpus=None,
            as_of=None,
            gathered_on=None,
            source="made up",
            is_sample=False,
        )


def kind(shape: Shape) -> tuple[object, ...]:
    offer = shape.offer
    return (offer.gpu, offer.gpu_count, offer.interconnect, shape.market)


def choice(shape: Shape) -> tuple[Any, ...]:
    """What makes one shape a better or worse choice than another of its kind."""
    return (*kind(shape), shape.usd_per_hour, shape.offer.host_ram_gib or inf)


def least_by(shapes: Iterable[Shape]) -> dict[tuple[Any, str], float]:
    """The lowest price of every kind at every provider."""
    least: dict[tuple[Any, str], float] = {}
    for shape in shapes:
        key = (kind(shape), shape.offer.provider)
        least[key] = min(shape.usd_per_hour, least.get(key, inf))
    return least


def beaten(one: tuple[Any, ...], others: Iterable[tuple[Any, ...]], margin: float) -> bool:
    """Whether another choice of the kind, cheaper by `margin`, has as much host RAM."""
    return any(
        other[:4] == one[:4] and other != one and other[4] + margin <= one[4] and other[5] >= one[5]
        for other in others
    )


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_the_best_are_those_that_no_other_offer_beats(
    mixed: Catalog, filters: dict[str, Any]
) -> None:
    """Of two at one price with more and less host RAM, the lesser may or may not be there.

    The cheapest of every provider is there too, as no kind is sold by more than a few.
    """
    best = mixed.best(**filters)
    found = {choice(shape) for shape in best}
    shapes = every_shape(mixed, filters)
    every = {choice(shape) for shape in shapes}
    assert {one for one in every if not beaten(one, every, 0.0)} <= found
    cheapest = least_by(shapes)
    assert least_by(best) == cheapest
    unbeaten = {one for one in every if not beaten(one, every, 1e-9)}
    assert all(
        choice(one) in unbeaten or one.usd_per_hour == cheapest[kind(one), one.offer.provider]
        for one in best
    )
    assert [shape.usd_per_hour for shape in best] == sorted(s.usd_per_hour for s in best)


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_prices_are_the_least_per_gpu_of_every_offer(
    mixed: Catalog, filters: dict[str, Any]
) -> None:
    least: dict[tuple[str, str, str], float] = {}
    for shape in every_shape(mixed, filters):
        key = (shape.offer.gpu, shape.market, shape.offer.provider)
        usd = shape.usd_per_hour / shape.offer.gpu_count
        least[key] = min(usd, least.get(key, inf))
    prices = mixed.prices(**filters)
    assert {
        (s.offer.gpu, s.market, s.offer.provider): s.usd_per_hour / s.offer.gpu_count
        for s in prices
    } == least
    assert len(prices) == len(least)


def every_shape(catalog: Catalog, filters: dict[str, Any]) -> list[Shape]:
    """Every price in a catalog that passes the filters, found without any table of shapes."""

    def passes(shape: Shape) -> bool:
        offer = shape.offer
        parts = offer.interconnect.split("+")
        needs = filters.get("needs", ())
        providers = filters.get("providers")
        sellers = {n for p in providers or () for n in (p, *sells_as(p))}
        return (
            not offer.sold_out
            and offer.gpu in filters.get("gpus", [offer.gpu])
            and shape.market == filters.get("market", shape.market)
            and (providers is None or offer.provider in sellers)
            and filters.get("interconnect", parts[0]) in parts
            and get(offer.gpu).memory_gb_marketed
            == filters.get("memory_gb", get(offer.gpu).memory_gb_marketed)
            and shape.usd_per_hour <= filters.get("max_usd_per_hour", inf)
            and ("infiniband" not in needs or "infiniband" in parts)
            and ("docker" not in needs or provider_meets(offer.provider, "docker"))
            and (
                "region" not in filters or distance_km(offer.region, filters["region"]) is not None
            )
        )

    prices = [
        Shape(offer=offer, market=market, usd_per_hour=usd)
        for offer in catalog.offers()
        for market, usd in (
            ("on_demand", offer.on_demand_usd_per_hour),
            ("spot", offer.spot_usd_per_hour),
        )
        if usd is not None
    ]
    return [shape for shape in prices if passes(shape)]


def test_of_two_that_cost_the_same_the_nearer_counts(
    catalog_of: MakeCatalog, offer: MakeOffer
) -> None:
    catalog = catalog_of(offer(region="Singapore"), offer(region="Jakarta"))
    assert [s.offer.region for s in catalog.best(region=NEAR_JAKARTA)] == ["Jakarta"]


def test_a_dearer_machine_counts_where_it_has_more_host_ram(
    catalog_of: MakeCatalog, offer: MakeOffer
) -> None:
    """A job that offloads to host RAM may not run on the cheapest one."""
    catalog = catalog_of(
        offer(on_demand_usd_per_hour=1.0, host_ram_gib=64.0),
        offer(on_demand_usd_per_hour=1.5, host_ram_gib=64.0, region="Tokyo"),
        offer(on_demand_usd_per_hour=2.0, host_ram_gib=256.0, region="Jakarta"),
    )
    assert [s.usd_per_hour for s in catalog.best()] == [1.0, 2.0]


def test_of_every_kind_the_cheapest_of_a_few_providers_is_there(
    catalog_of: MakeCatalog, offer: MakeOffer
) -> None:
    """What a run costs beside the hour may make a dearer hour the cheaper run."""
    sellers = ("Lambda", "RunPod", "Nebius", "Crusoe", "AWS", "GCP")
    catalog = catalog_of(
        *(offer(on_demand_usd_per_hour=1.0 + n, provider=name) for n, name in enumerate(sellers))
    )
    assert [s.offer.provider for s in catalog.best()] == list(sellers[:4])


def test_how_many_are_best_does_not_grow_with_the_offers(tmp_path: Path) -> None:
    counts = []
    for size in (2000, 8000):
        write_catalog(drawn(size), tmp_path / f"{size}.sqlite")
        with open_catalog(tmp_path / f"{size}.sqlite") as catalog:
            kinds = {kind(shape) for shape in catalog.best()}
            counts.append(len(catalog.best()))
            assert len(kinds) == 3 * 2 * 3 * 2
    assert max(counts) <= (3 + 4) * 36  # one for each amount of host RAM and each provider
