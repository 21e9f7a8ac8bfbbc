"""What the catalog lets be rented, and that reading it changes nothing."""

import sqlite3
import stat
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from planner.catalog.build import write_catalog
from planner.catalog.offer import Offer
from planner.catalog.regions import find_region
from planner.catalog.store import Catalog, open_catalog, user_catalog
from planner.errors import BadInput
from planner.notes import note

MakeOffer = Callable[..., Offer]
MakeCatalog = Callable[..., Catalog]
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def test_an_offer_without_a_price_stays_in_the_catalog_but_never_ranks(
    catalog_of: MakeCatalog, offer: MakeOffer
) -> None:
    catalog = catalog_of(offer(instance_type="priced"), offer(on_demand_usd_per_hour=None))
    assert len(catalog.offers()) == 2
    assert [shape.offer.instance_type for shape in catalog.shapes()] == ["priced"]


def test_a_zero_price_is_an_unknown_price(catalog_of: MakeCatalog, offer: MakeOffer) -> None:
    catalog = catalog_of(offer(on_demand_usd_per_hour=0.0, spot_usd_per_hour=0.0))
    assert catalog.shapes() == ()
    assert catalog.offers()[0].on_demand_usd_per_hour is None


def test_what_is_sold_out_is_never_offered(catalog_of: MakeCatalog, offer: MakeOffer) -> None:
    assert catalog_of(offer(sold_out=True)).shapes() == ()


def test_a_card_the_stacks_do_not_run_on_is_never_offered(
    catalog_of: MakeCatalog, offer: MakeOffer
) -> None:
    assert catalog_of(offer(gpu="Gaudi2"), offer(gpu="TPU-v5e")).shapes() == ()


def test_both_markets_are_separate_shapes(catalog_of: MakeCatalog, offer: MakeOffer) -> None:
    catalog = catalog_of(offer(spot_usd_per_hour=0.8))
    assert [(s.market, s.usd_per_hour) for s in catalog.shapes()] == [
        ("spot", 0.8),
        ("on_demand", 2.0),
    ]
    assert [s.market for s in catalog.shapes(market="on_demand")] == ["on_demand"]


@pytest.mark.parametrize("spot", [2.0, 2.5])
def test_a_spot_price_not_below_on_demand_is_dropped_and_noted(
    catalog_of: MakeCatalog, offer: MakeOffer, spot: float
) -> None:
    """D072: equal spot and on-demand prices are a fault of the data."""
    catalog = catalog_of(offer(spot_usd_per_hour=spot))
    assert [s.market for s in catalog.shapes()] == ["on_demand"]
    assert [(n.code, n.values) for n in catalog.notes] == [
        ("catalog.spot_not_cheaper", {"offers": 1})
    ]


def test_one_shape_per_machine_market_and_region_the_cheapest(
    catalog_of: MakeCatalog, offer: MakeOffer
) -> None:
    catalog = catalog_of(
        offer(on_demand_usd_per_hour=2.0),
        offer(on_demand_usd_per_hour=1.5),
        offer(on_demand_usd_per_hour=1.0, region="us-west-2"),
    )
    assert [(s.offer.region, s.usd_per_hour) for s in catalog.shapes()] == [
        ("us-west-2", 1.0),
        ("us-east-1", 1.5),
    ]


def test_a_region_filters_and_near_ranks_by_distance_before_price(
    catalog_of: MakeCatalog, offer: MakeOffer
) -> None:
    """D044: the region asked for is respected, an unknown place is not in it."""
    catalog = catalog_of(
        offer(region="us-east-1", on_demand_usd_per_hour=0.5),
        offer(region="list price", on_demand_usd_per_hour=0.5),
        offer(region="ap-southeast-1 (Singapore)", on_demand_usd_per_hour=1.0),
        offer(region="ap-southeast-3 (Jakarta)", on_demand_usd_per_hour=3.0),
    )
    near = catalog.shapes(region=find_region("near Jakarta"))
    assert [s.offer.region for s in near] == [
        "ap-southeast-3 (Jakarta)",
        "ap-southeast-1 (Singapore)",
    ]
    exact = catalog.shapes(region=find_region("ap-southeast-1"))
    assert [s.offer.region for s in exact] == ["ap-southeast-1 (Singapore)"]


def test_a_provider_is_asked_for_by_its_canonical_name(
    catalog_of: MakeCatalog, offer: MakeOffer
) -> None:
    catalog = catalog_of(
        offer(provider="Crusoe"), offer(provider="Crusoe (via Shadeform)"), offer(provider="Our DC")
    )
    assert len(catalog.shapes(providers=["Crusoe"])) == 2
    assert len(catalog.shapes(providers=["Shadeform"])) == 1
    assert len(catalog.shapes(providers=["Our DC"])) == 1
    assert catalog.shapes(providers=["Kaggle"]) == ()


@pytest.mark.parametrize(
    ("need", "provider", "met"),
    [
        ("docker", "RunPod", True),
        ("docker", "Lambda", True),  # in its VM
        ("kubernetes", "RunPod", False),
        ("persistent_storage", "Vast.ai", False),
        ("slurm", "Lium", False),  # nobody stated it
        ("docker", "Crusoe (via Shadeform)", False),  # the broker's terms are not known
    ],
)
def test_a_need_counts_as_met_only_where_somebody_stated_it(
    catalog_of: MakeCatalog, offer: MakeOffer, need: str, provider: str, met: bool
) -> None:
    assert bool(catalog_of(offer(provider=provider)).shapes(needs=[need])) is met


def test_infiniband_is_a_matter_of_the_machine(catalog_of: MakeCatalog, offer: MakeOffer) -> None:
    catalog = catalog_of(
        offer(interconnect="nvlink+infiniband", instance_type="joined"), offer(interconnect="pcie")
    )
    assert [s.offer.instance_type for s in catalog.shapes(needs=["infiniband"])] == ["joined"]


def test_prices_compare_what_one_gpu_costs(catalog_of: MakeCatalog, offer: MakeOffer) -> None:
    catalog = catalog_of(
        offer(instance_type="one", on_demand_usd_per_hour=2.0),
        offer(instance_type="eight", gpu_count=8, on_demand_usd_per_hour=12.0),
        offer(instance_type="other", provider="RunPod", on_demand_usd_per_hour=1.4),
    )
    assert [s.offer.instance_type for s in catalog.prices()] == ["other", "eight"]


def test_facts_of_dated_rows(catalog_of: MakeCatalog, offer: MakeOffer) -> None:
    facts = catalog_of(offer(), offer(as_of=date(2026, 11, 2))).facts(NOW)
    assert facts.as_of == "2026-11-02/2026-11-30"
    assert facts.gathered_on == "2026-12-01"
    assert facts.age_hours == 12
    assert (facts.freshness, facts.offers) == ("fresh", 2)


def test_rows_without_any_date_are_undated(catalog_of: MakeCatalog, offer: MakeOffer) -> None:
    facts = catalog_of(offer(as_of=None, gathered_on=None)).facts(NOW)
    assert (facts.as_of, facts.gathered_on, facts.age_hours) == (None, None, None)
    assert facts.freshness == "undated"


def test_one_sample_row_makes_the_catalog_a_sample(
    catalog_of: MakeCatalog, offer: MakeOffer
) -> None:
    assert catalog_of(offer(), offer(is_sample=True)).facts(NOW).freshness == "sample"


def test_reading_leaves_the_file_and_its_folder_as_they_were(
    tmp_path: Path, offer: MakeOffer
) -> None:
    path = tmp_path / "catalog.sqlite"
    write_catalog([offer()], path)
    before = path.read_bytes()
    catalog = open_catalog(path)
    catalog.shapes()
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        catalog._connection.execute("DELETE FROM offers")
    catalog.close()
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["catalog.sqlite"]


def test_a_newer_column_is_ignored_and_a_missing_optional_one_is_unknown(
    tmp_path: Path, offer: MakeOffer
) -> None:
    """D064."""
    path = tmp_path / "catalog.sqlite"
    write_catalog([offer()], path)
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE offers ADD COLUMN carbon TEXT")
        connection.execute("ALTER TABLE offers DROP COLUMN vcpus")
    connection.close()
    catalog = open_catalog(path)
    assert catalog.offers()[0].vcpus is None
    assert len(catalog.shapes()) == 1
    catalog.close()


def test_a_catalog_of_a_newer_layout_is_refused(tmp_path: Path, offer: MakeOffer) -> None:
    path = tmp_path / "catalog.sqlite"
    write_catalog([offer()], path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET value = '999'")
    connection.close()
    assert refusal(path) == "catalog.too_new"


def test_a_file_that_is_missing_or_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_text("gpu,price\nH100,2\n" * 100)
    sqlite3.connect(tmp_path / "other.sqlite").close()
    assert refusal(tmp_path / "nowhere.sqlite") == "catalog.no_file"
    assert refusal(tmp_path / "prices.csv") == "catalog.not_a_catalog"
    assert refusal(tmp_path / "other.sqlite") == "catalog.not_a_catalog"
    assert refusal(tmp_path) == "catalog.no_file"


def test_an_unreadable_cell_is_named(tmp_path: Path, offer: MakeOffer) -> None:
    path = tmp_path / "catalog.sqlite"
    write_catalog([offer()], path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE offers SET as_of = 'yesterday'")
    connection.close()
    with open_catalog(path) as catalog, pytest.raises(BadInput) as refused:
        catalog.shapes()
    assert refused.value.note.values == {"offer": "Lambda one", "column": "as_of"}


def test_a_cache_folder_that_cannot_be_written_is_worked_around(tmp_path: Path) -> None:
    (tmp_path / "a-file").write_text("")
    folder = tmp_path / "a-file" / "muat"
    catalog = open_catalog(cache_folder=folder)
    assert catalog.shapes()
    assert [n.code for n in catalog.notes] == ["catalog.in_memory"]
    assert catalog.notes[0].values == {"folder": str(folder)}
    catalog.close()


def test_the_second_use_reads_what_the_first_one_built(tmp_path: Path) -> None:
    open_catalog(cache_folder=tmp_path).close()
    [built] = tmp_path.iterdir()
    stamp = built.stat().st_mtime_ns
    built.chmod(stat.S_IRUSR)
    second = open_catalog(cache_folder=tmp_path)
    assert built.stat().st_mtime_ns == stamp
    assert second.notes == ()
    second.close()


def test_a_damaged_cache_is_built_again(tmp_path: Path) -> None:
    open_catalog(cache_folder=tmp_path).close()
    [built] = tmp_path.iterdir()
    built.write_text("not a database, " * 300)
    catalog = open_catalog(cache_folder=tmp_path)
    assert catalog.shapes()
    catalog.close()


def refusal(path: Path) -> str:
    with pytest.raises(BadInput) as refused:
        open_catalog(path)
    return refused.value.note.code


def test_prices_of_a_month_and_a_half_ago_are_warned_of(
    catalog_of: MakeCatalog, offer: MakeOffer
) -> None:
    """D063: a snapshot of 45 days ago says its age, and warns."""
    old = date(2026, 10, 17)
    catalog = catalog_of(offer(as_of=old, gathered_on=old))
    facts = catalog.facts(NOW)
    assert (facts.gathered_on, facts.freshness) == ("2026-10-17", "stale")
    assert facts.age_hours == 45 * 24 + 12
    assert catalog.warnings(NOW) == (note("catalog.store_too_old", age_days=45),)
    assert catalog_of(offer()).warnings(NOW) == ()


def test_the_users_own_catalog_is_read_once_there_is_one(
    tmp_path: Path, offer: MakeOffer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with open_catalog() as bundled:
        assert bundled.facts(NOW).freshness == "sample"
        assert [source.name for source in bundled.sources()] == ["bundled"]
    write_catalog([offer()], user_catalog())
    with open_catalog() as own:
        assert [one.instance_type for one in own.offers()] == ["one"]
    assert user_catalog().is_relative_to(tmp_path)


def test_a_catalog_of_the_first_layout_still_answers(
    tmp_path: Path, offer: MakeOffer, make_first_layout: Callable[[Path], None]
) -> None:
    """D064."""
    path = tmp_path / "catalog.sqlite"
    write_catalog([offer(spot_usd_per_hour=0.5), offer(on_demand_usd_per_hour=1.0)], path)
    with open_catalog(path) as new:
        expected = (new.shapes(), new.best(), new.prices(), new.facts(NOW))
    make_first_layout(path)
    before = path.read_bytes()
    with open_catalog(path) as old:
        assert (old.shapes(), old.best(), old.prices(), old.facts(NOW)) == expected
        assert (old.sources(), old.quarantined()) == ((), ())
    assert path.read_bytes() == before


def test_opening_a_catalog_reads_no_offer(tmp_path: Path, offer: MakeOffer) -> None:
    """What an answer costs does not grow with offers that it does not need."""
    path = tmp_path / "catalog.sqlite"
    write_catalog([offer(), offer(gpu="H100-SXM5")], path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE offers SET as_of = 'yesterday' WHERE gpu = 'H100-SXM5'")
    connection.close()
    with open_catalog(path) as catalog:
        assert catalog.facts(NOW).offers == 2
        assert len(catalog.best(gpus=["A100-SXM4-80GB"])) == 1
        with pytest.raises(BadInput):
            catalog.best()


def test_spot_and_on_demand_have_winners_of_their_own(
    offer: Callable[..., Offer], catalog_of: Callable[..., Catalog]
) -> None:
    """H35: one V100 at AWS, GCP (host included) and Azure: GCP wins on demand, Azure on spot."""
    listed = {"AWS": (3.060, 0.476), "GCP": (2.953, 0.811), "Azure": (3.060, 0.450)}
    catalog = catalog_of(
        *(
            offer(
                provider=provider,
                gpu="V100-SXM2-16GB",
                on_demand_usd_per_hour=on_demand,
                spot_usd_per_hour=spot,
            )
            for provider, (on_demand, spot) in listed.items()
        )
    )
    found = catalog.prices(gpus=["V100-SXM2-16GB"])
    first = {}
    for shape in found:
        first.setdefault(shape.market, (shape.offer.provider, shape.usd_per_hour))
    assert first == {"on_demand": ("GCP", 2.953), "spot": ("Azure", 0.450)}
