"""Which SKU a row means, by the traps of real price lists."""

import pytest

from planner.catalog.identity import (
    Distrusted,
    card_of,
    count_of,
    figures_are_of_one_card,
    interconnect_of,
    refuse_odd_board,
)
from planner.gpus import registry as gpus


@pytest.mark.parametrize(
    ("name", "provider", "hints", "figures", "count", "gpu"),
    [
        # D054: memory is part of the identity; a bare A100 is the smaller until proven
        ("A100", "Someone", (), (), 1, "A100-SXM4-40GB"),
        ("A100", "Someone", (), (81920,), 1, "A100-SXM4-80GB"),
        ("A100-80GB", "Someone", (), (), 1, "A100-SXM4-80GB"),
        ("A100", "AWS", (), (), 8, "A100-SXM4-40GB"),
        # memory of all cards, of all counted twice, and GB in the place of MiB
        ("A100-80GB", "Prime Intellect", (), (655360,), 8, "A100-SXM4-80GB"),
        ("B300", "Verda", (), (2150400,), 8, "B300"),
        ("A100-80GB", "RunPod", ("A100 PCIe",), (80,), 1, "A100-PCIe-80GB"),
        ("A100-80GB-640GB", "Verda", (), (), 8, "A100-SXM4-80GB"),
        # form factors come from any text of the row
        ("H100", "Lambda", ("", "gpu_1x_h100_pcie"), (), 1, "H100-PCIe"),
        ("H100", "Lambda", ("", "gpu_8x_h100_sxm5"), (), 8, "H100-SXM5"),
        ("H100-80G-PCIe-NVLink", "Hyperstack", (), (81920,), 8, "H100-PCIe"),
        ("H100-MEGA", "GCP", (), (), 8, "H100-SXM5"),
        # one card, many spellings
        ("A6000", "Vast.ai", (), (49140,), 1, "RTX-A6000"),
        ("RTXA6000", "Vast.ai", (), (), 1, "RTX-A6000"),
        ("RTX PRO Server 6000", "AWS", (), (98304,), 8, "RTX-PRO-6000-Blackwell"),
        ("RTX PRO 6000 96GB", "Seeweb", (), (98304,), 1, "RTX-PRO-6000-Blackwell"),
        # D055: the Quadro, never the larger Ada
        ("RTX6000", "Lambda", (), (24576,), 1, "Quadro-RTX-6000"),
        ("RTX6000-Ada", "RunPod", (), (), 1, "RTX-6000-Ada"),
        # D052: a little less than marketed is that card; with 48 GB it is a card of its own
        ("RTX4090", "Vast.ai", (), (23552,), 1, "RTX-4090"),
        ("RTX4090", "Vast.ai", (), (49140,), 1, "RTX-4090-48GB"),
        ("RTX4090", "Vast.ai", (), (49128,), 2, "RTX-4090"),
        # the Ti that only the machine's name has
        ("RTX4060", "Vast.ai", ("1x-RTX_4060_Ti-32-65536",), (16380,), 1, "RTX-4060Ti-16GB"),
        ("RTX3060", "Vast.ai", ("2x-RTX_3060_Ti-32-65536",), (16384,), 2, "RTX-3060Ti"),
        # what a provider has, where its list leaves the form open
        ("A100", "Lambda", ("A100", "gpu_1x_a100"), (40960,), 1, "A100-PCIe-40GB"),
        ("A100", "Lambda", ("A100", "gpu_1x_a100_sxm4"), (40960,), 1, "A100-SXM4-40GB"),
        ("V100-32GB", "AWS", ("V100", "p3dn.24xlarge"), (32768,), 8, "V100-SXM2-32GB"),
        ("H100", "Seeweb", ("H100", "ECS1GPU8"), (81920,), 1, "H100-PCIe"),
        ("V100", "Verda", ("V100", "1V100.6V"), (16384,), 1, "V100-SXM2-16GB"),
        ("A100-40GB-320GB", "Verda", (), (327680,), 8, "A100-SXM4-40GB"),
        # and the form that the row itself tells goes before that
        ("H100", "Hyperstack", ("", "n3-H100x1"), (81920,), 1, "H100-PCIe"),
        ("H100", "Hyperstack", ("", "n3-H100-SXM5x8"), (655360,), 8, "H100-SXM5"),
        # D058, D059: 192 GB of eight L4 in all is eight times 24, not one card's
        ("L4", "AWS", (), (196608,), 8, "L4"),
    ],
)
def test_a_row_means_one_card(
    name: str,
    provider: str,
    hints: tuple[str, ...],
    figures: tuple[float, ...],
    count: int,
    gpu: str,
) -> None:
    assert card_of(name, provider, hints, figures, count).name == gpu


@pytest.mark.parametrize(
    ("name", "figures", "count", "code"),
    [
        ("", (), 1, "no_card"),
        ("GPU of tomorrow", (), 1, "unknown_card"),
        # D050: host RAM in the memory column
        ("A100-80GB", (128000,), 1, "memory"),
        # a size that the name contradicts is not chosen between
        ("A100-80GB", (40960,), 1, "memory"),
        # D052: no 4090 has 36 GB
        ("RTX4090", (36864,), 1, "memory"),
        # D058: 1430 GB for eight L4
        ("L4", (1464320,), 8, "memory"),
        # D065: a slice, whatever memory it reports
        ("A100 MIG 1g.10gb", (81920,), 1, "slice"),
        ("tpu-v6e-1", (), 1, "unknown_card"),
    ],
)
def test_a_row_that_cannot_be_trusted_says_why(
    name: str, figures: tuple[float, ...], count: int, code: str
) -> None:
    with pytest.raises(Distrusted) as refusal:
        card_of(name, "Someone", (), figures, count)
    assert refusal.value.note.code == f"catalog.quarantine_{code}"


@pytest.mark.parametrize(
    ("listed", "is_so"),
    [
        # Seeweb: two A100 with 81,920 MiB are two of 80 GB, as its L4 tell
        ([("L4", 1, 24576), ("L4", 8, 24576), ("A100", 2, 81920)], True),
        # Vast adds them up: two A100 with 81,920 MiB are two of 40 GB
        ([("RTX4090", 1, 24564), ("RTX4090", 2, 49128), ("A100", 2, 81920)], False),
        # one name, two sizes: the same figure at two numbers proves nothing where others grow
        ([("A100", 1, 81920), ("A100", 2, 81920), ("L40S", 1, 46068), ("L40S", 4, 184272)], False),
        ([("H100", 8, 81920)], False),
        ([], False),
    ],
)
def test_a_list_tells_whose_memory_its_figures_are(
    listed: list[tuple[str, int, float]], is_so: bool
) -> None:
    """D059: memory of one card and of all are never mixed up."""
    assert figures_are_of_one_card(listed) is is_so


@pytest.mark.parametrize(
    "typed", ["", "0", "0.25", "0.5", "-1", "1000", "x", "nan", "inf", "-inf", "1e999"]
)
def test_a_number_of_cards_is_whole_and_sensible(typed: str) -> None:
    with pytest.raises(Distrusted):
        count_of(typed, "L4")


def test_no_board_carries_twelve_sxm_cards() -> None:
    """Azure's ND96isr_H100_v5 is listed with 12; it has 8."""
    sxm = gpus.get("H100-SXM5")
    with pytest.raises(Distrusted):
        refuse_odd_board(sxm, 12)
    for count in (1, 3, 8, 16):
        refuse_odd_board(sxm, count)
    refuse_odd_board(gpus.get("RTX-3060-12GB"), 12)


def test_how_cards_talk_follows_their_form() -> None:
    assert interconnect_of(gpus.get("H100-SXM5"), 8, "H100") == "nvlink"
    assert interconnect_of(gpus.get("H100-SXM5"), 1, "H100") == "single"
    assert interconnect_of(gpus.get("H100-PCIe"), 8, "n3-H100x8-NVLink") == "nvlink-bridge"
    assert interconnect_of(gpus.get("RTX-4090"), 2, "") == "pcie"
