"""Plans side by side: the cheapest, the fastest, and the trade between them."""

from collections.abc import Callable

import pytest

from planner.catalog.offer import Shape
from planner.plan.compare import Candidate, Comparison, compare
from planner.plan.result import Plan
from planner.query import PlanQuery

PlanFor = Callable[..., Plan]
Machine = Callable[..., Shape]


@pytest.fixture
def side_by_side(plan_for: PlanFor) -> Callable[..., Comparison]:
    def compared(model: str, *shapes: Shape, method: str = "qlora") -> Comparison:
        query = PlanQuery(model=model, method=method)  # type: ignore[arg-type]
        plans = [
            Candidate(
                f"{shape.offer.gpu_count}x {shape.offer.gpu}",
                model,
                plan_for(
                    model,
                    shape,
                    method=method,
                    gpu=shape.offer.gpu,
                    gpu_count=shape.offer.gpu_count,
                ),
            )
            for shape in shapes
        ]
        return compare(query, plans)

    return compared


def test_the_trade_is_named(side_by_side: Callable[..., Comparison], machine: Machine) -> None:
    found = side_by_side(
        "llama-3.1-8b", machine("A100-SXM4-80GB", usd=1.0), machine("H100-SXM5", usd=4.0)
    )
    assert (found.cheapest, found.fastest) == (0, 1)
    slow, fast = (one.option for one in found.columns)
    assert slow is not None and fast is not None
    (trade,) = found.notes
    assert trade.code == "compare.trade"
    assert trade.values["times_price"] == pytest.approx(fast.usd_total / slow.usd_total)
    assert trade.values["times_faster"] == pytest.approx(slow.hours / fast.hours)


def test_what_is_cheaper_and_faster_has_no_trade(
    side_by_side: Callable[..., Comparison], machine: Machine
) -> None:
    found = side_by_side(
        "llama-3.1-8b", machine("A100-SXM4-80GB", usd=4.0), machine("H100-SXM5", usd=1.0)
    )
    assert found.cheapest == found.fastest == 1
    assert found.notes[0].code == "compare.best_of_both"
    assert found.notes[0].values["asked"] == "1x H100-SXM5"


def test_what_does_not_fit_is_shown_and_not_rented(
    side_by_side: Callable[..., Comparison], machine: Machine
) -> None:
    """70B QLoRA is 35 GiB of weights alone: no 24 GB card holds it."""
    found = side_by_side(
        "llama-3.1-70b", machine("RTX-4090", usd=0.3), machine("A100-SXM4-80GB", usd=1.0)
    )
    small, large = found.columns
    assert (small.verdict, large.verdict) == ("does_not_fit", "fits")
    assert small.option is None and small.estimate.device_gib > 24
    assert found.cheapest == found.fastest == 1


def test_nothing_that_fits_is_said(
    side_by_side: Callable[..., Comparison], machine: Machine
) -> None:
    found = side_by_side("llama-3.1-70b", machine("RTX-4090"), machine("RTX-3090"), method="lora")
    assert (found.cheapest, found.fastest) == (None, None)
    assert found.notes[0].code == "compare.nothing_fits"


def test_a_tight_machine_never_wins_over_one_that_fits(
    side_by_side: Callable[..., Comparison], machine: Machine
) -> None:
    """LoRA of 8B takes 23.5 GiB: tight on 24 GB however cheap, comfortable on 80 GB."""
    found = side_by_side(
        "llama-3.1-8b",
        machine("RTX-4090", usd=0.01),
        machine("A100-SXM4-80GB", usd=2.0),
        method="lora",
    )
    assert [one.verdict for one in found.columns] == ["tight", "fits"]
    assert found.cheapest == 1


def test_what_holds_for_all_is_said_once(
    side_by_side: Callable[..., Comparison], machine: Machine
) -> None:
    found = side_by_side("llama-3.1-8b", machine("A100-SXM4-80GB"), machine("H100-SXM5"))
    codes = [one.code for one in found.assumptions]
    assert codes.count("plan.assumed_tokens") == 1
    assert "plan.assumed_efficiency" not in codes
