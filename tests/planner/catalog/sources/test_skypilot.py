"""SkyPilot's lists: the traps seen in real ones, in small."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from planner.catalog.offer import Offer
from planner.catalog.sources.skypilot import SkyPilotCsv
from planner.catalog.sources.source import Reading, SourceUnavailable

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
HEAD = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region"
ZONED = f"{HEAD},AvailabilityZone"


def _read(folder: Path, name: str, head: str, *lines: str) -> Reading:
    path = folder / f"{name}_vms.csv"
    path.write_text("\n".join((head, *lines)) + "\n", encoding="utf-8")
    return SkyPilotCsv(str(path)).read(NOW)


def _only(reading: Reading) -> Offer:
    (offer,) = reading.offers
    return offer


def _reasons(reading: Reading) -> list[str]:
    return [one.reason.code.removeprefix("catalog.quarantine_") for one in reading.quarantined]


def test_a_machine_is_one_offer_with_the_price_of_all_its_cards(tmp_path: Path) -> None:
    found = _read(tmp_path, "lambda", HEAD, "gpu_8x_h100_sxm5,H100,8,208,1800,31.92,,us-east-1")
    offer = _only(found)
    assert (offer.provider, offer.gpu, offer.gpu_count) == ("Lambda", "H100-SXM5", 8)
    assert (offer.on_demand_usd_per_hour, offer.spot_usd_per_hour) == (31.92, None)
    assert (offer.interconnect, offer.host_ram_gib) == ("nvlink", 1800)
    # the lists do not say when their prices were valid
    assert (offer.as_of, offer.gathered_on) == (None, date(2026, 12, 1))
    assert not offer.is_sample


def test_columns_are_read_by_name_whatever_their_order(tmp_path: Path) -> None:
    head = "Region,Price,SpotPrice,AcceleratorCount,AcceleratorName,InstanceType,MemoryGiB,vCPUs"
    found = _read(tmp_path, "verda", head, "FIN-01,1.29,0.45,1,A100-80GB,1A100.22V,120,22")
    assert _only(found).spot_usd_per_hour == 0.45


def test_machines_without_gpus_are_no_offers(tmp_path: Path) -> None:
    found = _read(tmp_path, "lambda", HEAD, "cpu_4x_general,,,4,16,0.2,,us-east-1")
    assert (found.offers, found.quarantined, found.rows_read) == ((), (), 1)


def test_host_and_gpus_priced_apart_are_added(tmp_path: Path) -> None:
    """D048: a2-highgpu-1g at $0.95 is the host alone; with its A100 it is $3.67. H35's V100 has no
    host in the list, so its price is set aside."""
    found = _read(
        tmp_path, "gcp", ZONED,
        "a2-highgpu-1g,,,12,85,0.73948,0.36975,us-central1,us-central1-a",
        ",A100,1,,,2.93391,1.4341,us-central1,us-central1-a",
        "a2-highgpu-1g,,,12,85,0.9,0.4,asia-northeast1,asia-northeast1-a",
        ",V100,1,,,2.48,0.74,us-central1,us-central1-a",
    )  # fmt: skip
    offer = _only(found)
    assert offer.gpu == "A100-SXM4-40GB"
    assert offer.on_demand_usd_per_hour == pytest.approx(3.67339)
    assert offer.spot_usd_per_hour == pytest.approx(1.80385)
    assert sorted(_reasons(found)) == ["gpu_alone", "host_alone"]


def test_unknown_prices_stay_unknown(tmp_path: Path) -> None:
    """Blank and 0.00 are no prices; sold out on demand may still be had on spot."""
    found = _read(
        tmp_path, "verda", HEAD,
        "2B200.60V,B200,2,60,368,,3.423,FIN-03",
        "1H100.80S,H100,1,32,185,2.29,0.00,FIN-02",
        "8A6000.80V,A6000,8,80,480,,,FIN-01",
    )  # fmt: skip
    spot_only, no_spot, gone = found.offers
    assert (spot_only.on_demand_usd_per_hour, spot_only.spot_usd_per_hour) == (None, 3.423)
    assert (no_spot.spot_usd_per_hour, no_spot.sold_out) == (None, False)
    assert gone.sold_out
    assert not spot_only.sold_out


def test_a_blank_region_is_sold_out(tmp_path: Path) -> None:
    found = _read(tmp_path, "seeweb", HEAD, "ECS8GPU10,H200,8,128,1024,20.8,,")
    assert (_only(found).region, _only(found).sold_out) == (None, True)


@pytest.mark.parametrize(
    ("price", "spot"),
    [("700.0", ""), ("2.50", ""), ("0.94", ""), ("", "0.01")],
    ids=["a filler", "one GPU's price for eight", "a host without its GPUs", "next to nothing"],
)
def test_a_price_that_cannot_be_the_machines_is_set_aside(
    tmp_path: Path, price: str, spot: str
) -> None:
    found = _read(tmp_path, "someone", HEAD, f"node,H100-SXM,8,200,1800,{price},{spot},x")
    assert found.offers == ()
    assert _reasons(found) == ["price"]


def test_spot_at_or_above_on_demand_is_no_spot(tmp_path: Path) -> None:
    found = _read(
        tmp_path, "aws", HEAD,
        "p5.48xlarge,H100,8,192,2048,55.04,55.04,us-east-1",
        "p5.48xlarge,H100,8,192,2048,55.04,60.00,us-west-2",
    )  # fmt: skip
    assert [one.spot_usd_per_hour for one in found.offers] == [None, None]


def test_one_spot_price_for_every_card_is_an_auctions_floor(tmp_path: Path) -> None:
    lines = [f"{n}x,{n},8,96,1000,,8.00,x" for n in ("H100-SXM", "A100-80GB", "H200")]
    found = _read(tmp_path, "mithril", HEAD, *lines)
    assert [one.spot_usd_per_hour for one in found.offers] == [None, None, None]


def test_zones_and_repeated_rows_are_one_offer_at_the_lowest_price(tmp_path: Path) -> None:
    found = _read(
        tmp_path, "aws", ZONED,
        "p4d.24xlarge,A100,8,96,1152,21.95,9.10,us-east-1,us-east-1a",
        "p4d.24xlarge,A100,8,96,1152,21.95,8.40,us-east-1,us-east-1b",
        "p4d.24xlarge,A100,8,96,1152,21.95,8.40,us-east-1,us-east-1b",
    )  # fmt: skip
    assert _only(found).spot_usd_per_hour == 8.40


def test_a_country_is_no_region_where_the_list_knows_better(tmp_path: Path) -> None:
    """RunPod gives CA and CA-MTL-1; Vast's free text stays; D061: new regions stay as they are."""
    runpod = _read(tmp_path, "runpod", ZONED, "1x_L40S,L40S,1,16,62,0.79,0.26,CA,CA-MTL-1")
    assert _only(runpod).region == "CA-MTL-1"
    vast = _read(tmp_path, "vast", HEAD, '1x-H200,H200,1,32,64,2.65,0.00,"France, FR, EU"')
    assert _only(vast).region == "France, FR, EU"
    new = _read(tmp_path, "lambda", HEAD, "gpu_1x_gh200,GH200,1,64,432,1.49,,moon-base-1")
    assert _only(new).region == "moon-base-1"


def test_spot_rows_of_their_own_join_their_machine(tmp_path: Path) -> None:
    found = _read(
        tmp_path, "primeintellect", HEAD,
        "datacrunch__1xH200_141GB__44__182,H200,1,44,182,3.03,,ICE-01",
        "datacrunch__1xH200_141GB__44__182__SPOT,H200,1,44,182,,0.94,ICE-01",
        "datacrunch__8xH200_141GB__176__1450__SPOT,H200,8,176,1450,,7.55,FIN-02",
    )  # fmt: skip
    joined, alone = found.offers
    assert joined.provider == "Verda (via Prime Intellect)"
    assert (joined.on_demand_usd_per_hour, joined.spot_usd_per_hour) == (3.03, 0.94)
    assert (alone.on_demand_usd_per_hour, alone.spot_usd_per_hour) == (None, 7.55)
    assert not alone.instance_type.endswith("SPOT")


@pytest.mark.parametrize(
    "info",
    [
        "{'Gpus': [{'Name': 'A100', 'Manufacturer': None, 'MemoryInfo': {'SizeInMiB': 81920}}]}",
        '{"Gpus":[{"Name":"A100","MemoryInfo":{"SizeInMiB":81920}}]}',
        "{'Gpus': [{'Name': 'A100', 'Manufacturer': null, 'MemoryInfo': {'SizeInMiB': 81920}}]}",
        "{'gpus': [{'name': 'A100', 'memoryinfo': {'sizeinmib': 81920}}]}",
    ],
)
def test_every_spelling_of_the_details_tells_the_memory(tmp_path: Path, info: str) -> None:
    quoted = '"' + info.replace('"', '""') + '"'
    found = _read(tmp_path, "do", f"{HEAD},GpuInfo", f"g,A100,1,8,80,1.9,,x,{quoted}")
    assert _only(found).gpu == "A100-SXM4-80GB"


@pytest.mark.parametrize("info", ["A100", "", "{", "[[[[", "{'Gpus': 3}", "{'Gpus': []}", "1" * 99])
def test_details_that_say_nothing_do_no_harm(tmp_path: Path, info: str) -> None:
    found = _read(tmp_path, "do", f"{HEAD},GpuInfo", f'g,L40S,1,8,80,1.5,,x,"{info}"')
    assert _only(found).gpu == "L40S"


def test_a_row_set_aside_keeps_its_line_and_words(tmp_path: Path) -> None:
    found = _read(
        tmp_path, "aws", HEAD,
        "g6.xlarge,L4,1,4,16,0.8048,0.3,us-east-1",
        "g6f.large,L4,0.125,2,8,0.2,0.1,us-east-1",
    )  # fmt: skip
    (aside,) = found.quarantined
    assert (aside.source, aside.line, aside.instance_type) == ("skypilot:aws", 2, "g6f.large")
    assert "0.125" in aside.text
    assert aside.reason.code == "catalog.quarantine_count"


def test_what_is_no_list_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable) as refusal:
        _read(tmp_path, "aws", "a,b,c", "1,2,3")
    assert "InstanceType" in str(refusal.value.note.values["columns"])
    with pytest.raises(SourceUnavailable):
        SkyPilotCsv(str(tmp_path / "none_vms.csv")).read(NOW)
    (tmp_path / "x_vms.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SourceUnavailable):
        SkyPilotCsv(str(tmp_path / "x_vms.csv")).read(NOW)


def test_whose_list_it_is_stands_in_its_name(tmp_path: Path) -> None:
    assert SkyPilotCsv("lists/verda_vms.csv").name == "skypilot:verda"
    assert SkyPilotCsv("catalogs/v8/lambda/vms.csv").name == "skypilot:lambda"
    assert SkyPilotCsv("x.csv", provider="RunPod").name == "skypilot:runpod"


def test_two_gpus_cost_what_two_are_listed_for(tmp_path: Path) -> None:
    """H34: Azure's 1, 2 and 4 A100 PCIe cost 3.67, 4.78 and 4.78 per GPU: two are 9.56."""
    found = _read(
        tmp_path, "azure", HEAD,
        "Standard_NC24ads_A100_v4,A100-80GB-PCIe,1,24,220,3.67,,eastus",
        "Standard_NC48ads_A100_v4,A100-80GB-PCIe,2,48,440,9.56,,eastus",
        "Standard_NC96ads_A100_v4,A100-80GB-PCIe,4,96,880,19.12,,eastus",
    )  # fmt: skip
    prices = {one.gpu_count: one.on_demand_usd_per_hour for one in found.offers}
    assert prices == {1: 3.67, 2: 9.56, 4: 19.12}


def test_several_cards_at_the_price_of_one_are_set_aside(tmp_path: Path) -> None:
    """D070: $1.28 is what one card costs on spot, and eight were billed at $10.24."""
    found = _read(
        tmp_path, "runpod", HEAD,
        "1x_A4000,RTX-A4000,1,8,32,1.60,1.28,us-east-1",
        "8x_A4000,RTX-A4000,8,64,256,12.80,1.28,us-east-1",
        "2x_A4000,RTX-A4000,2,16,64,3.20,2.56,us-east-1",
    )  # fmt: skip
    assert [one.gpu_count for one in found.offers] == [1, 2]
    (odd,) = found.quarantined
    assert (odd.instance_type, _reasons(found)) == ("8x_A4000", ["price_of_one"])
