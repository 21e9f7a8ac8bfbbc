"""Which SKU a row means, by the traps of real price lists."""

import pytest

from planner.catalog.identity import (
    Distrusted,
    card_of,
    count_of,
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
        # D050: host RAM in the memory column; D052: a card with its memory changed
        ("A100-80GB", (128000,), 1, "memory"),
        ("RTX4090", (49140,), 1, "memory"),
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


@pytest.mark.parametrize("typed", ["", "0", "0.25", "0.5", "-1", "1000", "x"])
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
