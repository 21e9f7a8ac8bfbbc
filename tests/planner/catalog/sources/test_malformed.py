"""Lists as broken as lists come: one bad row costs that row, never the list or the program."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planner.catalog.sources.skypilot import SkyPilotCsv
from planner.catalog.sources.source import Reading, SourceUnavailable
from planner.catalog.sources.text import LARGEST_BYTES, all_of

NOW = datetime(2026, 12, 1, tzinfo=UTC)
HEAD = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,GpuInfo"
)
GOOD = "good,L4,1,8,32,0.80,,x,"


def _read(folder: Path, row: str) -> Reading:
    path = folder / "someone_vms.csv"
    path.write_text(f"{HEAD}\n{row}\n{GOOD}\n", encoding="utf-8")
    return SkyPilotCsv(str(path)).read(NOW)


@pytest.mark.parametrize(
    "row",
    [
        "bad,L4,nan,8,32,0.80,,x,",
        "bad,L4,inf,8,32,0.80,,x,",
        "bad,L4,0.5,8,32,0.80,,x,,more,cells,than,columns",
        "bad,L4",
    ],
)
def test_a_row_that_is_no_machine_costs_itself_alone(tmp_path: Path, row: str) -> None:
    found = _read(tmp_path, row)
    assert [one.instance_type for one in found.offers] == ["good"]
    assert [one.reason.code for one in found.quarantined] == ["catalog.quarantine_count"]
    assert found.rows_read == 2


@pytest.mark.parametrize(
    "info",
    [
        "{'Gpus': ['L4']}",
        "{'Gpus': {'Name': 'L4'}}",
        "{'Gpus': [{'MemoryInfo': [1]}]}",
        "{'Gpus': [{'MemoryInfo': {'SizeInMiB': 'much'}}]}",
        '{""Gpus"": [{""MemoryInfo"": {""SizeInMiB"": NaN}}]}',
        '{""Gpus"": [{""MemoryInfo"": {""SizeInMiB"": Infinity}}]}',
        "[" * 5000,
    ],
)
def test_details_of_another_shape_say_nothing(tmp_path: Path, info: str) -> None:
    odd, _ = _read(tmp_path, f'odd,L4,1,8,32,0.80,,x,"{info}"').offers
    assert (odd.gpu, odd.on_demand_usd_per_hour) == ("L4", 0.80)


@pytest.mark.parametrize("price", ["inf", "1e999", "nan", "-1", "free"])
def test_what_is_no_price_is_unknown(tmp_path: Path, price: str) -> None:
    odd, _ = _read(tmp_path, f"odd,MI325X,8,8,32,{price},,x,").offers
    assert (odd.on_demand_usd_per_hour, odd.sold_out) == (None, True)


def test_a_cell_larger_than_any_is_no_list(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable):
        _read(tmp_path, f"bad,L4,1,8,32,0.80,,x,{'x' * 200_000}")


@given(cells=st.lists(st.text(max_size=20), min_size=1, max_size=12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_nothing_that_stands_in_a_list_stops_the_reading(tmp_path: Path, cells: list[str]) -> None:
    row = ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)
    path = tmp_path / "someone_vms.csv"
    path.write_bytes(f"{HEAD}\n{GOOD}\n{row}\n".encode(errors="replace"))
    offers = SkyPilotCsv(str(path)).read(NOW).offers
    assert any(one.instance_type == "good" for one in offers)


@pytest.mark.parametrize("address", ["http://", "https://[", "http://host:port/x.csv"])
def test_what_is_no_address_is_unavailable(address: str) -> None:
    with pytest.raises(SourceUnavailable):
        SkyPilotCsv(address, "someone").read(NOW)


class _Slow:
    """An answer that never ends."""

    def __init__(self, piece: bytes) -> None:
        self._piece = piece

    def read1(self, n: int, /) -> bytes:
        return self._piece


@pytest.mark.parametrize(
    ("piece", "is_late", "code"),
    [
        (b"x", lambda: True, "catalog.source_too_slow"),
        (b"x" * (LARGEST_BYTES // 4), lambda: False, "catalog.source_too_large"),
    ],
    ids=["drop by drop", "without end"],
)
def test_an_answer_that_does_not_end_is_given_up(
    piece: bytes, is_late: Callable[[], bool], code: str
) -> None:
    with pytest.raises(SourceUnavailable) as refusal:
        all_of(_Slow(piece), "https://example.org/x.csv", is_late)
    assert refusal.value.note.code == code
