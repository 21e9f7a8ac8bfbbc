"""Where checkpoints survive, and whether an interruption's warning is long enough to save."""

from collections.abc import Callable
from typing import Any

import pytest

from planner.catalog.offer import Shape
from planner.plan.result import CheckpointAdvice, Plan

PlanFor = Callable[..., Plan]
Machine = Callable[..., Shape]


def advice(
    plan_for: PlanFor, machine: Machine, provider: str, market: str = "spot", **said: Any
) -> CheckpointAdvice:
    one = machine("H200-SXM", usd=1.0, market=market, provider=provider)
    asked = {"method": "qlora", "tokens": 50_000_000, "market": market, **said}
    found = plan_for("llama-3.1-8b", one, **asked).checkpoint
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("provider", "storage", "notice"),
    [
        ("AWS", "plan.storage_volume_terminated", "plan.notice_enough"),  # 120 s, terminated
        ("GCP", "plan.storage_volume_stopped", "plan.notice_enough"),  # 30 s, stopped
        ("RunPod", "plan.storage_volume_stopped", "plan.notice_too_short"),  # 5 s
        ("Verda", "plan.storage_volume_terminated", "plan.notice_none"),
        ("Vast.ai", "plan.storage_bucket", "plan.notice_none"),  # volumes stay on one machine
        ("Hyperbolic", "plan.storage_unknown", "plan.notice_unknown"),
    ],
)
def test_each_providers_interruption(
    plan_for: PlanFor, machine: Machine, provider: str, storage: str, notice: str
) -> None:
    """D076: what is not on storage that survives starts again from step 0."""
    found = advice(plan_for, machine, provider)
    assert found.storage.code == storage
    assert found.on_notice is not None and found.on_notice.code == notice


def test_a_large_checkpoint_outlasts_the_warning(plan_for: PlanFor, machine: Machine) -> None:
    """48 GB of bf16 weights and states take six minutes at a gigabit; AWS warns for two."""
    found = advice(plan_for, machine, "AWS", method="full")
    assert found.write_seconds > 120
    assert found.on_notice is not None and found.on_notice.code == "plan.notice_too_short"


def test_on_demand_knows_no_notice(plan_for: PlanFor, machine: Machine) -> None:
    found = advice(plan_for, machine, "AWS", "on_demand")
    assert found.on_notice is None
    assert found.storage.code == "plan.storage_volume"
