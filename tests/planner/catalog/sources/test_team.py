"""A team's own machines, from CSV and YAML."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from planner.catalog.sources.source import SourceUnavailable
from planner.catalog.sources.team import TeamFile, template_text

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def test_the_template_is_read_as_it_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "ours.csv"
    path.write_text(template_text(), encoding="utf-8")
    found = TeamFile(str(path)).read(NOW)
    assert found.quarantined == ()
    node, workstation = found.offers
    assert (node.gpu, node.gpu_count, node.interconnect) == ("H100-SXM5", 8, "nvlink+infiniband")
    assert (node.on_demand_usd_per_hour, node.as_of) == (16.0, date(2026, 12, 1))
    assert (workstation.gpu, workstation.region) == ("RTX-4090", "Bandung")


def test_yaml_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(
        "- {provider: Ours, instance_type: node, gpu: A100 80GB PCIe, gpu_count: 2,"
        " on_demand_usd_per_hour: 1.5, as_of: 2026-11-30}\n",
        encoding="utf-8",
    )
    (offer,) = TeamFile(str(path)).read(NOW).offers
    assert (offer.gpu, offer.gpu_count, offer.as_of) == ("A100-PCIe-80GB", 2, date(2026, 11, 30))
    assert offer.spot_usd_per_hour is None


def test_a_cheap_machine_of_ones_own_is_believed(tmp_path: Path) -> None:
    path = tmp_path / "ours.csv"
    path.write_text(
        "provider,instance_type,gpu,gpu_count,on_demand_usd_per_hour\nOurs,node,H100 SXM,8,0.10\n",
        encoding="utf-8",
    )
    (offer,) = TeamFile(str(path)).read(NOW).offers
    assert offer.on_demand_usd_per_hour == 0.10


def test_a_bare_a100_is_the_smaller(tmp_path: Path) -> None:
    """D054: memory is part of the identity; what is not said is not assumed."""
    path = tmp_path / "ours.csv"
    path.write_text("provider,instance_type,gpu,gpu_count\nOurs,node,A100,8\n", encoding="utf-8")
    (offer,) = TeamFile(str(path)).read(NOW).offers
    assert offer.gpu == "A100-SXM4-40GB"


@pytest.mark.parametrize("cell", ["", "0", "0.00"])
def test_a_price_that_is_not_said_is_unknown(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "ours.csv"
    head = "provider,instance_type,gpu,gpu_count,on_demand_usd_per_hour"
    path.write_text(f"{head}\nOurs,node,L4,1,{cell}\n", encoding="utf-8")
    (offer,) = TeamFile(str(path)).read(NOW).offers
    assert offer.on_demand_usd_per_hour is None


@pytest.mark.parametrize("fabric", ["NVLink+InfiniBand", "pcie", "nvlink-bridge+rdma"])
def test_fabrics_are_those_of_the_template(tmp_path: Path, fabric: str) -> None:
    path = tmp_path / "ours.csv"
    head = "provider,instance_type,gpu,gpu_count,interconnect"
    path.write_text(f"{head}\nOurs,node,H100 SXM,8,{fabric}\n", encoding="utf-8")
    (offer,) = TeamFile(str(path)).read(NOW).offers
    assert offer.interconnect == fabric.lower()


def test_another_fabric_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "ours.csv"
    head = "provider,instance_type,gpu,gpu_count,interconnect"
    path.write_text(f"{head}\nOurs,node,H100 SXM,8,pigeons\n", encoding="utf-8")
    (aside,) = TeamFile(str(path)).read(NOW).quarantined
    assert aside.reason.code == "catalog.quarantine_interconnect"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        # D055: 24, 48 or 96 GB: the team says which
        ("Ours,node,RTX 6000,1,1,2026-12-01", "unknown_card"),
        ("Ours,node,TPU-v5e,8,1,2026-12-01", "not_planned"),
        (",node,H100 SXM,8,1,2026-12-01", "blank"),
        ("Ours,node,H100 SXM,12,1,2026-12-01", "count"),
        ("Ours,node,H100 SXM,inf,1,2026-12-01", "count"),
        ("Ours,node,H100 SXM,8,$16,2026-12-01", "number"),
        ("Ours,node,H100 SXM,8,-3,2026-12-01", "number"),
        ("Ours,node,H100 SXM,8,inf,2026-12-01", "number"),
        ("Ours,node,H1000,8,1,2026-12-01", "unknown_card"),
        ("Ours,node,H100 SXM,some,1,2026-12-01", "count"),
        ("Ours,node,H100 SXM,8,1,yesterday", "date"),
    ],
)
def test_a_line_that_cannot_be_read_is_set_aside(tmp_path: Path, line: str, code: str) -> None:
    path = tmp_path / "ours.csv"
    head = "provider,instance_type,gpu,gpu_count,on_demand_usd_per_hour,as_of"
    path.write_text(f"{head}\n{line}\n", encoding="utf-8")
    found = TeamFile(str(path)).read(NOW)
    assert found.offers == ()
    assert [one.reason.code for one in found.quarantined] == [f"catalog.quarantine_{code}"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "x,y\n1,2\n"),
        ("a.csv", ""),
        ("a.csv", f"provider,instance_type,gpu,gpu_count\n{'x' * 200_000},a,L4,1\n"),
        ("a.yaml", ""),
        ("a.yaml", "just: one"),
        ("a.yaml", "- [1"),
        ("a.yaml", "- 3"),
        ("a.yaml", "- {provider: Ours, as_of: 2026-13-45}"),
    ],
)
def test_what_is_no_list_is_unavailable(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(SourceUnavailable):
        TeamFile(str(tmp_path / name)).read(NOW)
