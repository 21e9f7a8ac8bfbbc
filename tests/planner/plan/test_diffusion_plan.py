"""Plans for image models: a picture's length comes from its resolution, and its speed is said to be
rough."""

from collections.abc import Callable
from typing import Any

import pytest

from planner.catalog.offer import Shape
from planner.gpus import registry as gpus
from planner.memory.counts import count
from planner.memory.setup import settle
from planner.models.registry import resolve
from planner.plan.result import Plan
from planner.query import Training
from planner.speed.pace import speed
from planner.speed.step import step_work

Machine = Callable[..., Shape]
PlanFor = Callable[..., Plan]


def _codes(answer: Plan) -> set[str]:
    return {one.code for one in (*answer.assumptions, *answer.warnings)}


def test_flux_lora_is_planned_in_pictures(plan_for: PlanFor, machine: Machine) -> None:
    answer = plan_for("flux-dev", machine("H100-SXM5", 1, 2.0), method="lora")
    assert answer.verdict == "fits"
    assert answer.seq_len == 64 * 64 + 512
    assert {"plan.assumed_pictures", "plan.assumed_picture_speed"} <= _codes(answer)
    assert "plan.assumed_tokens" not in _codes(answer)
    assert answer.checkpoint is not None


def test_a_smaller_picture_is_sooner_done(plan_for: PlanFor, machine: Machine) -> None:
    def hours(resolution: int) -> float:
        said = {"method": "lora", "samples": 1000, "training": {"resolution": resolution}}
        return (
            plan_for("flux-dev", machine("H100-SXM5", 1, 2.0), **said)
            .options[0]
            .cost.training_hours
        )

    assert hours(512) < 0.5 * hours(1024)


def test_what_flux_needs_on_a_small_card_is_qlora(plan_for: PlanFor, machine: Machine) -> None:
    shapes = (machine("RTX-4090", 1, 0.4), machine("H100-SXM5", 1, 2.0))
    answer = plan_for("flux-dev", *shapes, method="lora", gpu="RTX-4090", gpu_count=1)
    assert answer.verdict == "does_not_fit"
    assert answer.alternatives


@pytest.mark.parametrize("model", ["flux-dev", "sdxl", "sd1.5", "wan2.1-1.3b"])
@pytest.mark.parametrize("method", ["full", "lora", None])
def test_cards_without_bf16_are_answered(
    plan_for: PlanFor, machine: Machine, model: str, method: Any
) -> None:
    answer = plan_for(model, machine("V100-SXM2-32GB", 8, 4.0), method=method)
    assert answer.estimate.breakdown.total_gib() == pytest.approx(answer.estimate.peak_gib)


def test_a_vision_language_model_says_how_many_pictures(
    plan_for: PlanFor, machine: Machine
) -> None:
    answer = plan_for("qwen2.5-vl-7b", machine("H100-SXM5", 1, 2.0), method="lora")
    assert answer.verdict == "fits"
    assert "memory.pictures_inside" in _codes(answer)


def test_the_speed_of_flux2_klein_is_that_of_the_benchmark_within_a_third() -> None:
    """peft's image benchmark, L40S: 2 x 1,536 tokens a step, 1.01 s with LoRA, 0.98 s in full."""
    row = resolve("black-forest-labs/FLUX.2-klein-base-4B").architecture
    for method, seconds in (("lora", 759.2 / 750), ("full", 292.6 / 300)):
        asked = Training.model_validate({"method": method, "resolution": 512, "micro_batch": 2})
        setup = settle(row, asked).setup
        found = speed(step_work(row, count(row), setup), setup, gpus.get("L40S"), "single")
        assert found is not None
        assert found.tokens_per_s == pytest.approx(2 * 1536 / seconds, rel=1 / 3)
