"""Which kernels a card is too old for, by the makers of those kernels."""

import pytest

from planner.gpus.kernels import lacks
from planner.gpus.registry import get


@pytest.mark.parametrize(
    ("card", "feature", "too_old"),
    [
        ("V100-SXM2-32GB", "flash", True),
        ("T4", "flash", True),
        ("A100-SXM4-80GB", "flash", False),
        ("A100-SXM4-80GB", "fp8", True),
        ("RTX-4090", "fp8", False),
        ("H100-SXM5", "fp8", False),
        ("V100-SXM2-32GB", "int8", True),
        ("T4", "int8", False),
        ("P100-PCIe-16GB", "nf4", False),
        ("MI300X", "flash", False),
        ("T4", "sdpa", False),
    ],
)
def test_lacks(card: str, feature: str, too_old: bool) -> None:
    assert lacks(get(card), feature) is too_old
