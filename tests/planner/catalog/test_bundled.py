"""The offers the package ships: real SKUs, known providers, a sample with its date."""

from datetime import UTC, date, datetime

from planner.catalog.providers import find_provider
from planner.catalog.sources.bundled import bundled_offers
from planner.catalog.store import Catalog
from planner.gpus.registry import every, get

NOW = datetime(2026, 12, 3, 6, tzinfo=UTC)


def test_every_offer_is_on_a_known_gpu_at_a_known_provider() -> None:
    skus = {gpu.name for gpu in every()}
    for offer in bundled_offers():
        assert offer.gpu in skus
        assert find_provider(offer.provider), offer.provider
        assert offer.gpu_count >= 1


def test_every_offer_is_a_sample_with_its_date_and_source() -> None:
    for offer in bundled_offers():
        assert offer.is_sample
        assert offer.gathered_on == date(2026, 12, 1)
        assert offer.source


def test_the_facts_say_sample_and_when_it_was_gathered(bundled: Catalog) -> None:
    """D063: every card can print how old its prices are."""
    facts = bundled.facts(NOW)
    assert facts.freshness == "sample"
    assert facts.gathered_on == "2026-12-01"
    assert facts.as_of == "2026-05-08/2026-10-07"
    assert facts.age_hours == 54
    assert facts.offers == 426


def test_an_unpriced_offer_never_ranks(bundled: Catalog) -> None:
    unpriced = [
        offer
        for offer in bundled.offers()
        if offer.on_demand_usd_per_hour is None and offer.spot_usd_per_hour is None
    ]
    shapes = bundled.shapes()
    assert unpriced
    assert all(shape.usd_per_hour > 0 for shape in shapes)
    assert not {id(shape.offer) for shape in shapes} & {id(offer) for offer in unpriced}


def test_what_was_sold_out_when_read_is_not_offered(bundled: Catalog) -> None:
    sold_out = [offer for offer in bundled.offers() if offer.sold_out]
    assert {offer.provider for offer in sold_out} == {"Seeweb"}
    assert len(sold_out) == 15
    assert not any(shape.offer.sold_out for shape in bundled.shapes())


def test_a_host_ram_of_at_least_64_reads_as_64() -> None:
    vast = [offer for offer in bundled_offers() if offer.provider == "Vast.ai"]
    assert {offer.host_ram_gib for offer in vast} == {64.0}
    assert {offer.vcpus for offer in vast} == {32.0}


def test_fabrics_read_inside_first_then_between_machines() -> None:
    inside = {"single", "pcie", "nvlink", "nvlink-bridge", "unknown"}
    between = {"infiniband", "efa", "rdma"}
    for offer in bundled_offers():
        first, *rest = offer.interconnect.split("+")
        assert first in inside
        assert set(rest) <= between
        assert (first == "single") == (offer.gpu_count == 1) or first == "unknown"


def test_no_bundled_spot_price_reaches_on_demand(bundled: Catalog) -> None:
    assert bundled.notes == ()


def test_two_small_cards_stay_two_small_cards(bundled: Catalog) -> None:
    """A machine with 2x 24 GB never reads as one card of 48."""
    pairs = [
        s.offer for s in bundled.shapes(gpus={"RTX-3090", "RTX-4090"}) if s.offer.gpu_count > 1
    ]
    assert pairs
    assert {get(offer.gpu).memory_gb_marketed for offer in pairs} == {24}


def test_h100_prices_are_those_of_the_source(bundled: Catalog) -> None:
    lambda_h100 = bundled.prices(gpus={"H100-SXM5"}, providers=["Lambda"], market="on_demand")
    assert [(s.offer.instance_type, s.usd_per_hour) for s in lambda_h100] == [
        ("gpu_8x_h100_sxm5", 31.92)
    ]


def test_a_floor_price_or_a_meter_without_its_host_never_ranks(bundled: Catalog) -> None:
    """D048: a price that leaves something out is unknown, not low."""
    shown = {(s.offer.provider, s.offer.instance_type, s.market) for s in bundled.shapes()}
    assert ("Nebius", "per GPU list price", "on_demand") in shown
    assert ("Nebius", "per GPU list price", "spot") not in shown
    assert not [one for one in shown if one[0] in ("Modal", "TensorDock")]
