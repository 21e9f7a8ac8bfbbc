"""What a run costs: every part by hand, at terms that providers publish."""

from collections.abc import Callable
from typing import Any

import pytest

from planner.catalog.offer import Shape
from planner.plan.result import Cost, Plan

PlanFor = Callable[..., Plan]
Machine = Callable[..., Shape]
FULL: dict[str, Any] = {"method": "full", "tokens": 10_000_000, "micro_batch": 1}
#: Llama 3.1 8B holds 8,030,261,248 parameters: 16.06 GB in 16 bits.
WEIGHTS_GB = 16.060522496


def cost_at(plan_for: PlanFor, machine: Machine, provider: str, **said: Any) -> Cost:
    one = machine("H200-SXM", usd=3.0, provider=provider)
    return plan_for("llama-3.1-8b", one, **{**FULL, **said}).options[0].cost


def test_weights_and_data_are_brought_at_a_gigabit(plan_for: PlanFor, machine: Machine) -> None:
    """5 minutes to be ready, then 16.06 GB of weights and 500 GB of data at 0.125 GB/s. D044"""
    cost = cost_at(plan_for, machine, "Lambda", dataset_gb=500)
    assert cost.setup_hours * 3600 == pytest.approx(300 + (WEIGHTS_GB + 500) / 0.125, rel=1e-6)


def test_egress_is_a_part_of_its_own(plan_for: PlanFor, machine: Machine) -> None:
    """D044: AWS takes $0.09 a GB: the whole model in bf16 costs $1.45; RunPod takes nothing."""
    assert cost_at(plan_for, machine, "AWS").egress_usd == pytest.approx(0.09 * WEIGHTS_GB)
    assert cost_at(plan_for, machine, "RunPod").egress_usd == 0.0
    adapters = cost_at(plan_for, machine, "AWS", method="lora").egress_usd
    assert adapters is not None
    assert adapters < 0.02


def hours_of(cost: Cost) -> float:
    return cost.setup_hours + cost.training_hours + cost.saving_hours


def test_time_is_billed_in_the_providers_steps(plan_for: PlanFor, machine: Machine) -> None:
    """Verda bills 10 minutes, Seeweb an hour, RunPod seconds."""
    for provider, step_hours in (("Verda", 1 / 6), ("Seeweb", 1.0), ("RunPod", 1 / 3600)):
        cost = cost_at(plan_for, machine, provider)
        steps = cost.billed_hours / step_hours
        assert steps == pytest.approx(round(steps))
        assert 0 <= cost.billed_hours - hours_of(cost) < step_hours
        assert cost.compute_usd == pytest.approx(3.0 * cost.billed_hours)


def test_what_nobody_knows_is_named_and_not_zero(plan_for: PlanFor, machine: Machine) -> None:
    cost = cost_at(plan_for, machine, "Hyperbolic")
    assert cost.storage_usd is None and cost.egress_usd is None
    assert set(cost.unknown) == {"billing_step", "storage", "egress"}


def test_an_unknown_price_wins_nothing(plan_for: PlanFor, machine: Machine) -> None:
    """At the same hourly price the provider whose egress is known to be free goes first."""
    unknown = machine("H200-SXM", usd=3.0, provider="Hyperbolic")
    free = machine("H200-SXM", usd=3.0, provider="RunPod")
    assert plan_for("llama-3.1-8b", unknown, free, **FULL).options[0].provider == "RunPod"


def test_a_dearer_hour_may_be_the_cheaper_run(plan_for: PlanFor, machine: Machine) -> None:
    """What AWS takes for the model on its way out is more than three cents an hour."""
    cheap_hour = machine("H200-SXM", usd=3.0, provider="AWS")
    cheap_run = machine("H200-SXM", usd=3.03, provider="RunPod")
    found = plan_for("llama-3.1-8b", cheap_hour, cheap_run, **FULL)
    assert found.options[0].provider == "RunPod"


def test_storage_holds_weights_data_and_the_checkpoints_kept(
    plan_for: PlanFor, machine: Machine
) -> None:
    """RunPod: $0.07 a GB-month; pure bf16 saves 6 bytes a parameter, three times."""
    cost = cost_at(plan_for, machine, "RunPod", dataset_gb=100)
    stored_gb = WEIGHTS_GB + 100 + 3 * 3 * WEIGHTS_GB
    assert cost.storage_usd == pytest.approx(0.07 * stored_gb * hours_of(cost) / 730, rel=1e-6)


def test_a_ready_made_quantised_copy_is_what_is_downloaded(
    plan_for: PlanFor, machine: Machine
) -> None:
    usual = cost_at(plan_for, machine, "RunPod", method="qlora")
    ready = cost_at(
        plan_for, machine, "RunPod", method="qlora", training={"base_dtype": "gptq-int4"}
    )
    assert ready.setup_hours < 0.5 * usual.setup_hours + 5 / 60
