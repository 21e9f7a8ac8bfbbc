"""Spot and checkpoint advice within a plan."""

from collections.abc import Callable
from typing import Any

import pytest

from planner.catalog.offer import Shape
from planner.plan.result import Plan
from planner.spot.interval import daly_interval_hours

PlanFor = Callable[..., Plan]
Machine = Callable[..., Shape]
JOB: dict[str, Any] = {"method": "qlora", "tokens": 50_000_000, "seq_len": 2048}


def on(machine: Machine, on_demand: float | None, reclaimable: float) -> list[Shape]:
    shapes = [machine("A100-SXM4-80GB", usd=reclaimable, market="spot")]
    return shapes if on_demand is None else [machine("A100-SXM4-80GB", usd=on_demand), *shapes]


@pytest.mark.parametrize(
    ("on_demand", "reclaimable", "market", "why"),
    [
        (2.0, 0.5, "spot", "spot.saves"),
        (2.0, 1.85, "on_demand", "spot.costs_more"),
        (2.0, 1.95, "on_demand", "spot.costs_more"),
    ],
)
def test_spot_is_recommended_where_it_saves_enough(
    plan_for: PlanFor,
    machine: Machine,
    on_demand: float,
    reclaimable: float,
    market: str,
    why: str,
) -> None:
    """D074: hours and dollars with interruptions, not the hourly price alone."""
    found = plan_for("llama-3.1-8b", *on(machine, on_demand, reclaimable), **JOB)
    assert found.spot is not None
    assert (found.spot.recommend, found.spot.why.code) == (market, why)
    undisturbed = found.options[0].hours
    assert found.spot.expected_hours_spot > undisturbed
    assert found.spot.expected_usd_spot > reclaimable * undisturbed
    assert found.spot.expected_usd_on_demand == pytest.approx(found.options[0].usd_total)
    assert found.spot.rate_source.code == "plan.rate_assumed"


def test_the_break_even_rate_lies_on_the_side_of_the_advice(
    plan_for: PlanFor, machine: Machine
) -> None:
    cheap = plan_for("llama-3.1-8b", *on(machine, 2.0, 0.5), **JOB).spot
    dear = plan_for("llama-3.1-8b", *on(machine, 2.0, 1.95), **JOB).spot
    assert cheap is not None and cheap.break_even_interruptions_per_hour is not None
    assert dear is not None and dear.break_even_interruptions_per_hour is not None
    assert cheap.break_even_interruptions_per_hour > cheap.interruptions_per_hour
    assert dear.break_even_interruptions_per_hour < dear.interruptions_per_hour


def test_a_deadline_without_slack_is_no_time_for_spot(plan_for: PlanFor, machine: Machine) -> None:
    shapes = on(machine, 2.0, 0.5)
    hours = plan_for("llama-3.1-8b", *shapes, **JOB).options[0].hours
    found = plan_for("llama-3.1-8b", *shapes, deadline_hours=hours * 1.005, **JOB)
    assert found.spot is not None
    assert found.spot.recommend == "on_demand"
    assert found.spot.why.code == "spot.no_slack"


def test_a_deadline_with_slack_changes_to_on_demand_in_time(
    plan_for: PlanFor, machine: Machine
) -> None:
    shapes = on(machine, 2.0, 0.5)
    hours = plan_for("llama-3.1-8b", *shapes, **JOB).options[0].hours
    found = plan_for("llama-3.1-8b", *shapes, deadline_hours=hours * 1.4, **JOB).spot
    assert found is not None
    assert (found.recommend, found.why.code) == ("spot", "spot.saves_then_changes")
    assert found.probability_in_time is not None and 0 < found.probability_in_time < 1
    assert found.expected_hours_spot <= hours * 1.4


def test_nobody_knows_whether_spot_is_to_be_had(plan_for: PlanFor, machine: Machine) -> None:
    """D071: availability is unknown unless fed; two fallbacks and an on-demand floor are named."""
    sellers = (("Verda", 0.5), ("Nebius", 0.6), ("RunPod", 0.7), ("Vast.ai", 0.8))
    spots = [
        machine("A100-SXM4-80GB", usd=usd, market="spot", provider=name) for name, usd in sellers
    ]
    found = plan_for("llama-3.1-8b", machine("A100-SXM4-80GB", usd=2.0), *spots, **JOB).spot
    assert found is not None
    said = {note.code: note.values for note in found.warnings}
    assert said["plan.spot_availability_unknown"]["provider"] == found.provider
    fallbacks = said["plan.spot_fallbacks"]["machines"]
    assert isinstance(fallbacks, tuple | list) and len(fallbacks) == 2
    assert said["plan.spot_floor"]["usd_per_hour"] == 2.0


@pytest.mark.parametrize("deadline_hours", [None, 20.0, 60.0, 400.0])
def test_the_spot_machine_named_is_the_cheapest_of_all_worked_out_alone(
    plan_for: PlanFor, machine: Machine, deadline_hours: float | None
) -> None:
    """However few machines are worked out in full, none that is left out would have won."""
    floor = machine("A100-SXM4-80GB", usd=2.0)
    prices = {"RTX-4090": 0.2, "L40S": 0.4, "A100-SXM4-80GB": 0.7, "H100-SXM5": 1.5, "B200": 3.0}
    sellers = ("Verda", "Nebius", "RunPod", "Vast.ai")
    spots = [
        machine(gpu, usd=usd * (1 + step / 20), market="spot", provider=name)
        for gpu, usd in prices.items()
        for step, name in enumerate(sellers)
    ]
    said = {**JOB, "deadline_hours": deadline_hours}
    alone = [plan_for("llama-3.1-8b", floor, one, **said).spot for one in spots]
    least = min(one.expected_usd_spot for one in alone if one and one.why.code != "spot.no_slack")
    found = plan_for("llama-3.1-8b", floor, *spots, **said).spot
    assert found is not None
    assert found.expected_usd_spot == pytest.approx(least)


def test_spot_alone_is_compared_with_nothing(plan_for: PlanFor, machine: Machine) -> None:
    found = plan_for("llama-3.1-8b", *on(machine, None, 0.5), market="spot", **JOB)
    assert found.spot is not None
    assert found.spot.expected_usd_on_demand is None
    assert found.spot.break_even_interruptions_per_hour is None


def test_adapters_make_small_checkpoints_and_full_fine_tuning_large_ones(
    plan_for: PlanFor, machine: Machine
) -> None:
    adapters = plan_for("llama-3.1-8b", machine("B200"), **JOB).checkpoint
    everything = plan_for("llama-3.1-8b", machine("B200"), **{**JOB, "method": "full"}).checkpoint
    assert adapters is not None and everything is not None
    assert adapters.size_gib < 1
    # bf16 weights and two bf16 moments: 6 bytes a parameter
    assert everything.size_gib == pytest.approx(6 * 8_030_261_248 / 2**30)
    assert adapters.why.code == "plan.checkpoint_adapters"
    assert everything.why.code == "plan.checkpoint_everything"


def test_the_interval_is_whole_steps_near_dalys(plan_for: PlanFor, machine: Machine) -> None:
    found = plan_for("llama-3.1-8b", *on(machine, 2.0, 0.5), market="spot", **JOB)
    advice, one = found.checkpoint, found.options[0]
    assert advice is not None and found.spot is not None
    step_minutes = one.cost.training_hours * 60 / round(50_000_000 / (16 * 2048))
    assert advice.interval_minutes == pytest.approx(advice.interval_steps * step_minutes, rel=1e-3)
    daly = daly_interval_hours(advice.write_seconds, found.spot.interruptions_per_hour) * 60
    assert daly - step_minutes <= advice.interval_minutes <= daly
    share = advice.write_seconds / (advice.write_seconds + advice.interval_minutes * 60)
    assert advice.overhead_fraction == pytest.approx(share)


def test_the_interval_never_exceeds_the_run(plan_for: PlanFor, machine: Machine) -> None:
    found = plan_for("llama-3.1-8b", machine("H100-SXM5"), **{**JOB, "tokens": 100_000})
    assert found.checkpoint is not None
    assert found.checkpoint.interval_minutes <= found.options[0].hours * 60 * 1.000001


def test_a_batch_enlarged_by_many_gpus_takes_fewer_steps(
    plan_for: PlanFor, machine: Machine
) -> None:
    """Eight GPUs for a batch of four train eight sequences a step: half the steps of the count."""
    said = {**JOB, "tokens": 100_000, "training": {"global_batch": 4}}
    found = plan_for("llama-3.1-8b", machine("H100-SXM5", 8, interconnect="nvlink"), **said)
    assert found.checkpoint is not None
    steps = round(100_000 / (8 * 2048))
    assert found.checkpoint.interval_steps == steps


def test_the_checkpoint_is_that_of_the_machine_recommended_in_the_end(
    plan_for: PlanFor, machine: Machine
) -> None:
    """Spot on another machine takes other hours: its interval counts that machine's steps."""
    here = machine("A100-SXM4-80GB", usd=2.0)
    there = machine("H100-SXM5", 2, 0.6, market="spot", interconnect="nvlink")
    found = plan_for("llama-3.1-8b", here, there, **JOB)
    assert found.spot is not None and found.checkpoint is not None
    assert (found.spot.recommend, found.spot.gpu) == ("spot", "H100-SXM5")
    same_job_there = plan_for("llama-3.1-8b", there, market="spot", **JOB)
    assert found.checkpoint == same_job_there.checkpoint
