"""Fits, tight, does not fit: exactly by the likely range and the usable memory."""

from typing import Any, cast

import pytest

from planner.gpus.registry import get
from planner.memory.result import MemoryEstimate
from planner.plan.verdict import verdict


def ranged(low: float, high: float) -> MemoryEstimate:
    return cast(Any, MemoryEstimate).model_construct(low_gib=low, high_gib=high)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (10.0, 23.99, "fits"),
        (10.0, 24.0, "fits"),  # high <= usable
        (10.0, 24.01, "tight"),
        (24.0, 30.0, "tight"),  # low <= usable < high
        (24.01, 30.0, "does_not_fit"),  # low > usable
    ],
)
def test_the_bands(low: float, high: float, expected: str) -> None:
    assert verdict(ranged(low, high), 24.0) == expected


def test_an_80_gb_card_is_taken_at_what_its_driver_reports() -> None:
    """D037, D038: 79.6 GiB needed is not within 79.2 usable, and 24 GB is what nvidia-smi shows."""
    assert 79.0 < get("H100-SXM5").usable_gib < 80.0
    assert verdict(ranged(70.0, 79.9), get("H100-SXM5").usable_gib) == "tight"
    assert get("RTX-4090").usable_gib == pytest.approx(24564 / 1024, abs=0.05)
