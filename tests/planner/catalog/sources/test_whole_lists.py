"""What only a whole list tells: whose memory its figures are, which hosts its GPUs go into."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from planner.catalog.sources.skypilot import SkyPilotCsv
from planner.catalog.sources.source import Reading

NOW = datetime(2026, 12, 1, tzinfo=UTC)
HEAD = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,GpuInfo"
)


def _read(folder: Path, name: str, *lines: str) -> Reading:
    path = folder / f"{name}_vms.csv"
    path.write_text("\n".join((HEAD, *lines)) + "\n", encoding="utf-8")
    return SkyPilotCsv(str(path)).read(NOW)


def _info(mib: int) -> str:
    return f"\"{{'Gpus': [{{'MemoryInfo': {{'SizeInMiB': {mib}}}}}]}}\""


def test_two_a100_are_of_80_gb_where_a_list_gives_the_memory_of_one(tmp_path: Path) -> None:
    """D059: the memory of one card and of all of them are never mixed up."""
    found = _read(
        tmp_path, "seeweb",
        f"ECS1GPU6,L4,1,4,16,0.44,,it-mi2,{_info(24576)}",
        f"ECS4GPU6,L4,8,32,128,3.52,,it-mi2,{_info(24576)}",
        f"ECS2GPU3,A100,2,32,240,3.78,,it-mi2,{_info(81920)}",
    )  # fmt: skip
    assert [one.gpu for one in found.offers] == ["L4", "L4", "A100-PCIe-80GB"]


def test_two_a100_are_of_40_gb_where_a_list_adds_them_up(tmp_path: Path) -> None:
    found = _read(
        tmp_path, "vast",
        f"1x-RTX_4090,RTX4090,1,32,64,0.33,0.00,x,{_info(24564)}",
        f"2x-RTX_4090,RTX4090,2,32,64,0.66,0.00,x,{_info(49128)}",
        f"2x-A100_SXM4,A100,2,32,64,1.49,0.00,x,{_info(81920)}",
    )  # fmt: skip
    assert [one.gpu for one in found.offers] == ["RTX-4090", "RTX-4090", "A100-SXM4-40GB"]


def test_a_broker_sells_the_cards_that_the_operator_has(tmp_path: Path) -> None:
    """Hyperstack's H100 are PCIe cards, at Prime Intellect too, unless the row says SXM5."""
    found = _read(
        tmp_path, "primeintellect",
        "hyperstack__1xH100_80GB__28__180,H100,1,28,180,1.90,,CANADA-1,",
        "datacrunch__1xH100_80GB__30__120,H100,1,30,120,1.99,,FIN-01,",
    )  # fmt: skip
    assert [one.gpu for one in found.offers] == ["H100-PCIe", "H100-SXM5"]


def test_an_n1_host_is_a_machine_for_every_card_it_takes(tmp_path: Path) -> None:
    """H35: GCP's V100 is 2.953 on demand and 0.811 on spot, its n1-highmem-8 included. Alone the
    host is a machine without GPUs, and no bad row."""
    found = _read(
        tmp_path, "gcp",
        "n1-highmem-8,,,8,52,0.473,0.071,us-central1,",
        "n1-highmem-8,,,8,52,0.473,0.071,us-west2,",
        ",V100,1,,,2.48,0.74,us-central1,",
        ",T4,1,,,0.35,0.11,us-central1,",
        ",V100,8,,,19.84,5.92,us-central1,",
    )  # fmt: skip
    v100, t4 = found.offers
    assert (v100.gpu, v100.region) == ("V100-SXM2-16GB", "us-central1")
    assert v100.on_demand_usd_per_hour == pytest.approx(2.953)
    assert v100.spot_usd_per_hour == pytest.approx(0.811)
    assert (t4.gpu, t4.on_demand_usd_per_hour) == ("T4", pytest.approx(0.823))
    assert [one.reason.code for one in found.quarantined] == ["catalog.quarantine_gpu_alone"]
