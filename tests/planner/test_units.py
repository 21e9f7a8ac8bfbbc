"""GiB and GB are two units."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner import units


def test_a_gib_is_not_a_gb() -> None:
    assert units.GIB == 1_073_741_824
    assert units.GB == 1_000_000_000
    assert units.gib(80e9) == pytest.approx(74.5058, abs=1e-4)
    assert units.gb_from_gib(80) == pytest.approx(85.8993, abs=1e-4)


@given(size=st.floats(0, 1e15))
def test_there_and_back(size: float) -> None:
    assert units.gb_from_gib(units.gib(size)) * 1e9 == pytest.approx(size)
