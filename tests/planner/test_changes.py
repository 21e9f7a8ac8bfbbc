"""What moved between two catalogs."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.catalog.offer import Offer, Shape
from planner.changes import changes, prices_of, told_after


def _shape(
    usd_per_hour: float,
    provider: str = "Lambda",
    gpu: str = "H100-SXM5",
    gpu_count: int = 8,
    region: str | None = "us-east-1",
    market: str = "on_demand",
) -> Shape:
    offer = Offer(
        provider=provider,
        instance_type=f"{gpu_count}x-{gpu}",
        gpu=gpu,
        gpu_count=gpu_count,
        interconnect="nvlink",
        vcpus=None,
        host_ram_gib=None,
        region=region,
        on_demand_usd_per_hour=usd_per_hour if market == "on_demand" else None,
        spot_usd_per_hour=usd_per_hour if market == "spot" else None,
        as_of=date(2026, 11, 30),
        gathered_on=None,
        source="test",
        is_sample=False,
    )
    return Shape(offer=offer, market=market, usd_per_hour=usd_per_hour)


def test_nothing_moved_between_a_catalog_and_itself() -> None:
    shapes = [_shape(23.92), _shape(1.1, gpu_count=1), _shape(9.0, market="spot")]
    assert changes(shapes, reversed(shapes), 0.0).are_none


def test_a_move_over_the_threshold_is_said_once_for_all_its_regions() -> None:
    before = [_shape(20.0, region=region) for region in ("us-east-1", "us-west-1", "asia-1")]
    after = [_shape(25.0, region=region) for region in ("us-east-1", "us-west-1")]
    after.append(_shape(20.5, region="asia-1"))
    found = changes(before, after, 0.05)
    (move,) = found.moves
    assert move.machine.regions == ("us-east-1", "us-west-1")
    assert (move.old_usd_per_hour, move.new_usd_per_hour) == (20.0, 25.0)
    assert move.fraction == pytest.approx(0.25)
    assert found.new_lows == ()
    assert len(changes(before, after, 0.02).moves) == 2


def test_a_new_low_is_the_price_of_one_gpu_whatever_the_machine() -> None:
    before = [_shape(24.0), _shape(3.5, provider="RunPod", gpu_count=1)]
    after = [*before, _shape(4.0, provider="Verda", gpu_count=2)]
    (low,) = changes(before, after, 0.05).new_lows
    assert (low.gpu, low.market) == ("H100-SXM5", "on_demand")
    assert (low.old_usd_per_gpu_hour, low.new_usd_per_gpu_hour) == (3.0, 2.0)
    assert low.machine.provider == "Verda"


def test_a_card_that_nobody_offered_before_is_a_low_without_an_old_price() -> None:
    before = [_shape(24.0)]
    after = [_shape(24.0), _shape(5.0, gpu="B200-SXM", gpu_count=1), _shape(9.0, market="spot")]
    lows = {(low.gpu, low.market): low for low in changes(before, after, 0.05).new_lows}
    assert set(lows) == {("B200-SXM", "on_demand"), ("H100-SXM5", "spot")}
    assert all(low.old_usd_per_gpu_hour is None for low in lows.values())


def test_machines_appear_and_vanish_by_market_and_region() -> None:
    before = [_shape(24.0, region=None), _shape(9.0, market="spot")]
    after = [_shape(24.0, region="eu-1")]
    found = changes(before, after, 0.05)
    assert [one.machine.regions for one in found.appeared] == [("eu-1",)]
    gone = {(one.machine.market, one.machine.regions) for one in found.vanished}
    assert gone == {("on_demand", ("",)), ("spot", ("us-east-1",))}
    assert found.moves == ()


_SHAPES = st.lists(
    st.builds(
        _shape,
        usd_per_hour=st.floats(0.01, 100),
        provider=st.sampled_from(["Lambda", "Verda"]),
        gpu=st.sampled_from(["H100-SXM5", "L40S"]),
        gpu_count=st.sampled_from([1, 8]),
        region=st.sampled_from([None, "a", "b"]),
        market=st.sampled_from(["on_demand", "spot"]),
    ),
    max_size=12,
)


@given(_SHAPES, _SHAPES)
def test_going_back_undoes_everything(before: list[Shape], after: list[Shape]) -> None:
    there, back = changes(before, after, 0.0), changes(after, before, 0.0)
    assert there.appeared == back.vanished
    assert there.vanished == back.appeared
    assert {(m.machine, m.old_usd_per_hour, m.new_usd_per_hour) for m in there.moves} == {
        (m.machine, m.new_usd_per_hour, m.old_usd_per_hour) for m in back.moves
    }


def test_d125_a_price_of_zero_is_none_and_no_low() -> None:
    seen = [_shape(2.10, gpu_count=1)], [_shape(0.0, gpu_count=1)], [_shape(1.90, gpu_count=1)]
    first, zero, last = seen
    assert prices_of(zero) == {}
    assert changes(first, zero, 0.0).new_lows == ()
    (low,) = changes(first, last, 0.0).new_lows
    assert (low.old_usd_per_gpu_hour, low.new_usd_per_gpu_hour) == (2.10, 1.90)


def test_what_was_not_told_is_not_known() -> None:
    old, new = prices_of([_shape(2.00)]), prices_of([_shape(2.04)])
    assert told_after(old, new, 0.05) == old
    assert told_after(old, new, 0.01) == new
