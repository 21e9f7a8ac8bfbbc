"""What would make a job fit: the least harmful change, or the fewest together."""

from collections.abc import Callable

from planner.plan.result import Plan

PlanFor = Callable[..., Plan]


def test_changes_that_are_not_enough_alone_are_tried_together(plan_for: PlanFor) -> None:
    """32k tokens of LoRA on 24 GB: no single change will do."""
    found = plan_for("llama-3.1-8b", gpu="RTX-4090", gpu_count=1, method="lora", seq_len=32768)
    assert found.verdict == "does_not_fit"
    together = found.alternatives[0]
    assert together.change == "together"
    assert len(together.parts) > 1
    assert found.usable_gib is not None and together.device_gib <= found.usable_gib


def test_none_of_the_changes_made_together_is_idle(plan_for: PlanFor) -> None:
    """The 8-bit optimizer of a LoRA frees next to nothing and is left out."""
    found = plan_for("llama-3.1-8b", gpu="RTX-4090", gpu_count=1, method="lora", seq_len=32768)
    codes = [part.code for part in found.alternatives[0].parts]
    assert "plan.part_fused_loss" in codes
    assert "plan.part_optimizer_8bit" not in codes


def test_a_change_that_would_still_be_too_big_is_not_suggested(
    plan_for: PlanFor,
) -> None:
    found = plan_for("llama-3.1-8b", gpu="RTX-A6000", gpu_count=1, method="full")
    assert found.verdict == "does_not_fit"
    assert found.usable_gib is not None
    fitting = [one for one in found.alternatives if one.change != "bigger_card"]
    assert fitting
    assert all(one.device_gib <= found.usable_gib for one in fitting)


def test_gentle_changes_go_before_harsh_ones(plan_for: PlanFor) -> None:
    """Full fine-tuning of a 1.5B at 16k tokens misses 24 GB by its logits, not by its weights."""
    found = plan_for("qwen2.5-1.5b", gpu="RTX-4090", gpu_count=1, method="full", seq_len=16384)
    changes = [one.change for one in found.alternatives]
    assert changes[0] in ("fused_loss", "optimizer_8bit", "together")
    assert "qlora" not in changes[:1]
