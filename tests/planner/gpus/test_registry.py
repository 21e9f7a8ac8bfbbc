"""Names of GPUs find one SKU; memory and form factor are never guessed upwards."""

from collections import defaultdict

import pytest

from planner.data_files import read_rows
from planner.errors import BadInput
from planner.gpus import registry


def refusal(name: str, memory_gib: float | None = None) -> tuple[str, dict[str, object]]:
    with pytest.raises(BadInput) as refused:
        registry.find(name, memory_gib)
    return refused.value.note.code, dict(refused.value.note.values)


@pytest.mark.parametrize(
    ("typed", "sku"),
    [
        ("A100 80GB", "A100-SXM4-80GB"),
        ("a100-40gb", "A100-PCIe-40GB"),
        ("A100 SXM4 40GB", "A100-SXM4-40GB"),
        ("NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB"),
        ("H100 80GB HBM3", "H100-SXM5"),
        ("h100 pcie 80gb", "H100-PCIe"),
        ("H100 NVL", "H100-NVL"),
        ("V100 32GB", "V100-SXM2-32GB"),
        ("Tesla V100-SXM2-16GB", "V100-SXM2-16GB"),
        ("A6000", "RTX-A6000"),
        ("RTX 6000 Ada", "RTX-6000-Ada"),
        ("RTX 6000 24GB", "Quadro-RTX-6000"),
        ("RTX 6000 48 GB", "RTX-6000-Ada"),
        ("NVIDIA GeForce RTX 4090", "RTX-4090"),
        ("rtx 4090 48gb", "RTX-4090-48GB"),
        ("3060", "RTX-3060-12GB"),
        ("rtx 4060 ti", "RTX-4060Ti-16GB"),
        ("GTX 1660", "GTX-1660"),
        ("B200 192GB", "B200"),
        ("T4", "T4"),
        ("mi300x", "MI300X"),
    ],
)
def test_what_people_type_finds_the_sku(typed: str, sku: str) -> None:
    found = registry.find(typed)
    assert found.gpu.name == sku
    assert found.notes == ()


@pytest.mark.parametrize(
    ("typed", "default", "other"),
    [
        ("a100", "A100-SXM4-80GB", "A100-SXM4-40GB"),
        ("H100", "H100-SXM5", "H100-PCIe"),
        ("v100", "V100-PCIe-16GB", "V100-SXM2-32GB"),
        ("H200", "H200-SXM", "H200-NVL"),
        ("a100 pcie", "A100-PCIe-80GB", "A100-PCIe-40GB"),
    ],
)
def test_a_name_that_leaves_something_open_says_what_it_took(
    typed: str, default: str, other: str
) -> None:
    found = registry.find(typed)
    assert found.gpu.name == default
    [note] = found.notes
    assert note.code == "gpus.default_taken"
    others = note.values["others"]
    assert isinstance(others, tuple)
    assert other in others and default not in others


@pytest.mark.parametrize(("memory", "sku"), [(40, "A100-PCIe-40GB"), (80, "A100-SXM4-80GB")])
def test_memory_said_apart_decides(memory: float, sku: str) -> None:
    """D054: memory is part of the identity."""
    assert registry.find("a100", memory).gpu.name == sku


def test_rtx_6000_alone_is_asked_back_never_taken_as_the_larger() -> None:
    """D055."""
    code, values = refusal("RTX 6000")
    assert code == "gpus.which_one"
    assert {"Quadro-RTX-6000", "RTX-6000-Ada"} <= set(values["choices"])


@pytest.mark.parametrize(
    ("listed", "sku"), [(23, "RTX-4090"), (24, "RTX-4090"), (48, "RTX-4090-48GB")]
)
def test_a_listed_size_snaps_to_the_nearest_known_one(listed: float, sku: str) -> None:
    """D052: marketplaces report a little less than the marketed size."""
    assert registry.find("RTX4090", listed).gpu.name == sku


@pytest.mark.parametrize(
    ("typed", "memory", "sizes"),
    [
        ("a100 64gb", None, ("40 GB", "80 GB")),
        ("A100", 125, ("40 GB", "80 GB")),
        ("3080 12gb", None, ("10 GB",)),
    ],
)
def test_a_size_no_sku_has_is_refused_with_the_known_ones(
    typed: str, memory: float | None, sizes: tuple[str, ...]
) -> None:
    """D050: a host's RAM in the memory column is not a GPU."""
    code, values = refusal(typed, memory)
    assert code == "gpus.no_such_memory"
    assert values["sizes"] == sizes


def test_a_form_no_sku_has_is_refused() -> None:
    assert refusal("a100 nvl")[0] == "gpus.no_such_form"


def test_an_unknown_name_comes_back_with_the_nearest() -> None:
    code, values = refusal("rtx 9090")
    assert code == "gpus.unknown"
    assert "RTX-4090" in values["nearest"]


def test_names_and_aliases_are_unambiguous() -> None:
    targets = defaultdict(set)
    for row in read_rows("planner.gpus", "gpus.csv"):
        for alias in (row["name"], *row["aliases"].split(";")):
            targets[registry.normalise(alias)].add(row["name"])
    assert {alias: names for alias, names in targets.items() if len(names) > 1} == {}


def test_every_sku_finds_itself_by_its_name() -> None:
    for gpu in registry.every():
        assert registry.find(gpu.name).gpu is gpu
        assert registry.get(gpu.name) is gpu


def test_every_name_of_the_index_finds_its_sku() -> None:
    for alias, name in registry.alias_index().items():
        assert registry.find(alias).gpu.name == name, alias


def test_ambiguous_names_list_known_skus() -> None:
    names = {gpu.name for gpu in registry.every()}
    for row in read_rows("planner.gpus", "ambiguous.csv"):
        candidates = set(row["candidates"].split(";"))
        assert candidates <= names
        assert not row["default"] or row["default"] in candidates


def test_volta_and_turing_have_no_bf16() -> None:
    without = {"V100-SXM2-16GB", "V100-PCIe-32GB", "T4", "RTX-2080Ti", "GTX-1660", "P100-PCIe-16GB"}
    assert not any(registry.get(name).supports_bf16 for name in without)
    assert all(registry.get(name).supports_bf16 for name in ("A100-PCIe-40GB", "RTX-3090", "L4"))


def test_dense_rates_not_the_sparse_ones_of_the_leaflets() -> None:
    assert registry.get("H100-SXM5").bf16_dense_tflops == 989
    assert registry.get("A100-SXM4-80GB").bf16_dense_tflops == 312


def test_usable_memory_is_what_the_driver_reports_else_assumed() -> None:
    """D038."""
    h100, v100 = registry.get("H100-SXM5"), registry.get("V100-SXM2-16GB")
    assert (h100.usable_gib, h100.usable_is_assumed) == (79.6, False)
    assert v100.usable_is_assumed
    assert v100.usable_gib == pytest.approx(16 * 0.955)


def test_tpus_and_gaudis_are_known_but_not_planned_for() -> None:
    unplanned = {gpu.name for gpu in registry.every() if not registry.is_planned(gpu)}
    assert unplanned == {"Gaudi2", "Gaudi3", "TPU-v5e", "TPU-v5p", "TPU-v6e"}
    assert unplanned.isdisjoint(registry.planned_names())
