"""A whole plan: which machines are offered, what the verdict says, and what goes with it."""

from collections.abc import Callable
from typing import Any

import pytest

from planner.catalog.offer import Shape
from planner.gpus import registry as gpus
from planner.plan.result import Plan

PlanFor = Callable[..., Plan]
Machine = Callable[..., Shape]


def codes(notes: Any) -> set[str]:
    return {one.code for one in notes}


@pytest.mark.parametrize("card", ["V100-SXM2-32GB", "T4", "P100-PCIe-16GB"])
def test_a_card_without_bf16_is_planned_in_fp16(
    plan_for: PlanFor, machine: Machine, card: str
) -> None:
    """D041: full fine-tuning there keeps fp32 weights under fp16 autocast: 4 bytes a parameter."""
    found = plan_for("qwen2.5-0.5b", machine(card), method="full", seq_len=512, micro_batch=1)
    assert found.options[0].gpu == card
    total = found.estimate.total_params
    assert found.estimate.breakdown.weights * 2**30 == pytest.approx(4 * total)
    assert "plan.no_bf16" in codes(found.warnings)


@pytest.mark.parametrize("insisted", [{"base_dtype": "bf16"}, {"precision": "bf16"}])
def test_bf16_insisted_on_is_never_offered_without_it(
    plan_for: PlanFor, machine: Machine, insisted: dict[str, str]
) -> None:
    """D041: the V100 is the cheaper machine and stays out."""
    shapes = (machine("V100-SXM2-32GB", usd=0.1), machine("A10", usd=1.0))
    free = plan_for("qwen2.5-0.5b", *shapes, method="lora")
    bound = plan_for("qwen2.5-0.5b", *shapes, method="lora", training=insisted)
    assert free.options[0].gpu == "V100-SXM2-32GB"
    assert {one.gpu for one in bound.options} == {"A10"}


def test_changes_on_a_card_without_bf16_are_judged_in_fp16(plan_for: PlanFor) -> None:
    """fp32 weights, gradients and moments of a 3.2B are 51 GB: in fp16 no shorter sequence and no
    other loss fits them on 32 GB, though bf16's 26 GB would."""
    found = plan_for("llama-3.2-3b", gpu="V100-SXM2-32GB", gpu_count=1, method="full")
    assert found.verdict == "does_not_fit"
    changes = {one.change for one in found.alternatives}
    assert "qlora" in changes
    assert changes.isdisjoint({"fused_loss", "half_length"})


def test_two_24_gb_cards_are_never_one_of_48(plan_for: PlanFor, machine: Machine) -> None:
    """D024: data parallel keeps a whole copy on each card, so 30 GiB of weights do not fit."""
    pair = machine("RTX-3090", 2)
    found = plan_for(
        "mixtral-8x7b", pair, gpu="RTX-3090", gpu_count=2, method="qlora",
        training={"sharding": "ddp"},
    )  # fmt: skip
    assert found.options == ()
    assert found.verdict == "does_not_fit"
    assert found.usable_gib == pytest.approx(24.0)
    assert "sharding" in {one.change for one in found.alternatives}
    one_of_48 = plan_for("mixtral-8x7b", machine("RTX-A6000"), method="qlora")
    assert one_of_48.verdict != "does_not_fit"


def test_sharded_weights_are_chosen_where_a_copy_does_not_fit(
    plan_for: PlanFor, machine: Machine
) -> None:
    found = plan_for("llama-3.1-70b", machine("A100-SXM4-80GB", 8), method="lora", seq_len=2048)
    assert found.verdict == "fits"
    assert found.options[0].sharding == "fsdp"
    small = plan_for("llama-3.1-8b", machine("A100-SXM4-80GB", 8), method="lora", seq_len=2048)
    assert small.options[0].sharding == "ddp"


def test_nothing_priced_is_nothing_offered(plan_for: PlanFor) -> None:
    found = plan_for("llama-3.1-8b", method="qlora")
    assert found.options == ()
    assert found.spot is None and found.checkpoint is None
    assert "plan.no_offer" in codes(found.warnings)


def test_host_ram_is_named_where_it_alone_leaves_nothing_to_rent(
    plan_for: PlanFor, machine: Machine
) -> None:
    """D035: FSDP loads the model in host RAM; nobody typed that limit, so it must be told."""
    pair = machine("RTX-4090", 2, host_ram_gib=32.0)
    found = plan_for("mixtral-8x7b", pair, method="qlora", gpu="RTX-4090", gpu_count=2)
    assert found.options == ()
    told = [one for one in found.warnings if one.code == "plan.no_offer_with_ram"]
    assert [one.values["host_ram_gib"] for one in told] == [found.estimate.host_ram_gib]
    roomy = machine("RTX-4090", 2, host_ram_gib=256.0)
    assert plan_for("mixtral-8x7b", roomy, method="qlora", gpu="RTX-4090", gpu_count=2).options


def test_a_card_whose_speed_nobody_knows_is_not_offered(
    plan_for: PlanFor, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = gpus.get("A100-SXM4-80GB")
    slow = known.model_copy(update={"bf16_dense_tflops": None})
    monkeypatch.setattr(gpus, "get", lambda name: slow)
    assert plan_for("llama-3.1-8b", machine("A100-SXM4-80GB"), method="qlora").options == ()


def test_the_three_options_differ_in_label_and_purpose(plan_for: PlanFor, machine: Machine) -> None:
    found = plan_for(
        "llama-3.1-8b",
        machine("RTX-3090", usd=0.5),
        machine("A100-SXM4-80GB", usd=1.0),
        machine("H100-SXM5", 8, usd=40.0, interconnect="nvlink"),
        method="qlora",
        seq_len=1024,
    )
    by_label = {one.label: one for one in found.options}
    assert [one.label for one in found.options] == ["cheapest_run", "cheapest_hour", "fastest"]
    assert by_label["cheapest_run"].gpu == "A100-SXM4-80GB"
    assert by_label["cheapest_hour"].gpu == "RTX-3090"
    assert by_label["fastest"].gpu_count == 8
    assert by_label["cheapest_hour"].hours > by_label["cheapest_run"].hours
    assert by_label["fastest"].usd_total > by_label["cheapest_run"].usd_total


def test_a_machine_that_wins_everything_appears_once(plan_for: PlanFor, machine: Machine) -> None:
    shapes = (machine("H100-SXM5", usd=0.5), machine("RTX-3090", usd=0.6))
    assert [one.label for one in plan_for("llama-3.1-8b", *shapes).options] == ["cheapest_run"]


def test_what_fits_goes_before_a_cheaper_tight_one(plan_for: PlanFor, machine: Machine) -> None:
    said = {"method": "full", "seq_len": 1024, "micro_batch": 1}
    tight = plan_for("llama-3.1-8b", machine("H100-SXM5", usd=0.1), **said)
    assert tight.verdict == "tight"
    both = plan_for(
        "llama-3.1-8b", machine("H100-SXM5", usd=0.1), machine("H200-SXM", usd=5.0), **said
    )
    assert [one.gpu for one in both.options] == ["H200-SXM"]
    assert both.verdict == "fits"


@pytest.mark.parametrize(
    ("limit", "kept"),
    [
        ({"max_usd_per_hour": 3.0}, {"A100-SXM4-80GB"}),
        ({"deadline_hours": 1.0}, {"H100-SXM5"}),
        ({"max_usd_total": 0.01}, set()),
    ],
)
def test_limits_are_kept(
    plan_for: PlanFor, machine: Machine, limit: dict[str, float], kept: set[str]
) -> None:
    slow = machine("A100-SXM4-80GB", usd=1.0)
    fast = machine("H100-SXM5", 8, usd=20.0, interconnect="nvlink")
    found = plan_for("llama-3.1-8b", slow, fast, method="qlora", tokens=20_000_000, **limit)
    assert {one.gpu for one in found.options} == kept
    if not kept:
        assert "plan.nothing_within_limits" in codes(found.warnings)


def test_a_host_too_small_to_load_the_model_is_left_out(
    plan_for: PlanFor, machine: Machine
) -> None:
    """D034: 70B on two cards needs over 128 GB of host RAM; unknown RAM is not held against one."""
    small, large, unknown = (
        machine("A100-SXM4-80GB", 2, usd, provider=name, host_ram_gib=ram)
        for name, usd, ram in (("small", 1.0, 64.0), ("large", 2.0, 512.0), ("unknown", 1.5, None))
    )
    said = {"method": "qlora", "training": {"sharding": "fsdp"}}
    assert plan_for("llama-2-70b", small, **said).options == ()
    assert plan_for("llama-2-70b", small, large, **said).options[0].provider == "large"
    assert plan_for("llama-2-70b", small, large, unknown, **said).options[0].provider == "unknown"


def test_each_market_keeps_to_its_own_offers(plan_for: PlanFor, machine: Machine) -> None:
    on_demand = machine("A100-SXM4-80GB", usd=2.0)
    spot = machine("A100-SXM4-80GB", usd=0.5, market="spot")
    asked = plan_for("llama-3.1-8b", on_demand, spot, method="qlora", market="spot")
    assert [(one.market, one.usd_per_hour) for one in asked.options] == [("spot", 0.5)]
    usual = plan_for("llama-3.1-8b", on_demand, spot, method="qlora")
    assert {one.market for one in usual.options} == {"on_demand"}
    assert usual.spot is not None and usual.spot.usd_per_hour == 0.5
    assert plan_for("llama-3.1-8b", on_demand, method="qlora").spot is None


def test_renting_longer_than_the_run_pays_for_the_rental(
    plan_for: PlanFor, machine: Machine
) -> None:
    one = machine("H100-SXM5", usd=2.0)
    spot = machine("H100-SXM5", usd=1.9, market="spot")
    run = plan_for("llama-3.1-8b", one, spot, method="qlora", tokens=1_000_000)
    rented = plan_for("llama-3.1-8b", one, spot, method="qlora", tokens=1_000_000, rental_hours=5)
    assert rented.options[0].cost.compute_usd == pytest.approx(10.0)
    assert rented.options[0].hours == run.options[0].hours < 5
    assert "plan.rental_paid" in codes(rented.warnings)
    assert rented.spot is not None and run.spot is not None
    assert rented.spot.expected_usd_spot == pytest.approx(run.spot.expected_usd_spot)
    assert rented.spot.expected_usd_on_demand == pytest.approx(run.options[0].usd_total)
    long = plan_for("llama-3.1-8b", one, method="qlora", tokens=10**9, rental_hours=5)
    assert "plan.rental_too_short" in codes(long.warnings)


@pytest.mark.parametrize("global_batch", [8, 16, 64])
@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_the_global_batch_stays_what_it_is(
    plan_for: PlanFor, machine: Machine, global_batch: int, count: int
) -> None:
    found = plan_for(
        "qwen2.5-0.5b", machine("A100-SXM4-80GB", count), method="lora", seq_len=1024,
        training={"global_batch": global_batch},
    )  # fmt: skip
    (one,) = found.options
    assert one.micro_batch * one.gradient_accumulation * one.gpu_count == global_batch


def test_more_gpus_than_sequences_enlarge_the_batch_and_it_is_said(
    plan_for: PlanFor, machine: Machine
) -> None:
    shape = machine("A100-SXM4-80GB", 8)
    found = plan_for("qwen2.5-0.5b", shape, method="lora", training={"global_batch": 4})
    assert "plan.batch_grows" in codes(found.assumptions)


def test_machines_are_joined_only_by_a_fabric(plan_for: PlanFor, machine: Machine) -> None:
    """A 405B needs more than eight 80 GB cards even in four bits with long sequences."""
    said = {"method": "lora", "seq_len": 1024}
    alone = machine("H100-SXM5", 8, 20.0, interconnect="nvlink")
    joined = machine("H100-SXM5", 8, 30.0, interconnect="nvlink+infiniband")
    assert plan_for("llama-3.1-405b", alone, **said).options == ()
    (one,) = plan_for("llama-3.1-405b", alone, joined, **said).options
    assert one.nodes > 1 and one.gpu_count == 8 * one.nodes
    assert one.usd_per_hour == pytest.approx(30.0 * one.nodes)


def test_a_deadline_takes_as_many_joined_machines_as_it_needs(
    plan_for: PlanFor, machine: Machine
) -> None:
    said: dict[str, Any] = {"method": "full", "tokens": 1_000_000_000}
    joined = machine("H100-SXM5", 8, 30.0, interconnect="nvlink+infiniband")
    (relaxed,) = plan_for("llama-3.1-8b", joined, **said).options
    assert relaxed.nodes == 1
    (hurried,) = plan_for(
        "llama-3.1-8b", joined, deadline_hours=relaxed.hours * 0.7, **said
    ).options
    assert hurried.nodes > 1
    assert hurried.hours <= relaxed.hours * 0.7


@pytest.mark.parametrize(
    ("asked", "nodes"),
    [
        ({"gpu_count": 16}, 2),
        ({"nodes": 2}, 2),
        ({"gpu_count": 16, "nodes": 2}, 2),
        ({"gpu_count": 8}, 1),
        ({"gpu_count": 16, "nodes": 4}, None),
        ({"gpu_count": 12}, None),
    ],
)
def test_the_counts_asked_for_are_the_counts_offered(
    plan_for: PlanFor, machine: Machine, asked: dict[str, int], nodes: int | None
) -> None:
    joined = machine("H100-SXM5", 8, 30.0, interconnect="nvlink+infiniband")
    found = plan_for("llama-3.1-8b", joined, method="full", **asked)
    assert [one.nodes for one in found.options] == ([] if nodes is None else [nodes])


def test_no_method_is_planned_as_qlora_with_a_line_for_the_others(
    plan_for: PlanFor, machine: Machine
) -> None:
    found = plan_for("llama-3.1-8b", machine("A100-SXM4-80GB"), machine("H200-SXM", 4))
    assert found.estimate.trainable_params < found.estimate.total_params / 100
    assert [one.change for one in found.alternatives] == ["method_lora", "method_full"]
    assert "plan.assumed_method" in codes(found.assumptions)
    assert plan_for("llama-3.1-8b", machine("A100-SXM4-80GB"), method="qlora").alternatives == ()


def test_what_does_not_fit_gets_changes_that_do(plan_for: PlanFor, machine: Machine) -> None:
    """H01: full fine-tuning of an 8B never fits one 40 GB card; an 80 GB class machine is named."""
    found = plan_for(
        "llama-3.1-8b", machine("A100-SXM4-40GB"), machine("H200-SXM", 2, 8.0),
        gpu="A100-SXM4-40GB", gpu_count=1, method="full",
    )  # fmt: skip
    assert found.verdict == "does_not_fit" and found.options == ()
    assert found.alternatives
    assert len(found.alternatives) <= 4
    assert found.alternatives[-1].change == "bigger_card"
    assert all(one.verdict != "does_not_fit" for one in found.alternatives)
    assert all(one.device_gib <= 40.0 for one in found.alternatives[:-1]), "room by the estimate"
    small = [one for one in found.alternatives if one.change != "bigger_card"]
    assert all(one.device_gib < found.estimate.device_gib for one in small)


def test_the_smaller_card_of_the_same_name_is_warned_of(
    plan_for: PlanFor, machine: Machine
) -> None:
    """A bare "a100" is the 80 GB one; where the 40 GB one would decide otherwise it is said."""
    big, name = machine("A100-SXM4-80GB"), ("A100-SXM4-40GB",)
    said: dict[str, Any] = {"gpu": "A100-SXM4-80GB", "gpu_count": 1, "method": "qlora"}
    large = plan_for("llama-3.3-70b", big, same_name=name, **said)
    assert "plan.other_card_does_not_fit" in codes(large.warnings)
    small = plan_for("llama-3.1-8b", big, same_name=name, **said)
    assert "plan.other_card_does_not_fit" not in codes(small.warnings)


def test_another_card_of_the_same_name_is_named_where_only_it_is_on_offer(
    plan_for: PlanFor, machine: Machine
) -> None:
    """A pair of "a100" is rented out with PCIe by many and with SXM by nobody."""
    pcie = machine("A100-PCIe-80GB", 2, 2.7, interconnect="pcie")
    said: dict[str, Any] = {"gpu": "A100-SXM4-80GB", "gpu_count": 2, "method": "lora"}
    found = plan_for("llama-3.1-8b", pcie, same_name=("A100-PCIe-80GB",), **said)
    told = [one.values for one in found.warnings if one.code == "plan.other_card_offered"]
    assert [(one["gpu"], one["gpu_count"], one["usd_per_hour"]) for one in told] == [
        ("A100-PCIe-80GB", 2, 2.7)
    ]
    both = plan_for(
        "llama-3.1-8b", pcie, machine("A100-SXM4-80GB", 2), same_name=("A100-PCIe-80GB",), **said
    )
    assert "plan.other_card_offered" not in codes(both.warnings)


def test_assumed_usable_memory_is_said(plan_for: PlanFor, machine: Machine) -> None:
    """Usable is what the driver reports; where nobody read it, marketed x 0.955, and said so."""
    assumed = plan_for("qwen2.5-0.5b", machine("RTX-A5000"), gpu="RTX-A5000", method="qlora")
    assert assumed.usable_gib == pytest.approx(24 * 0.955)
    assert "plan.usable_assumed_card" in codes(assumed.warnings)
    read = plan_for("qwen2.5-0.5b", machine("RTX-4090"), gpu="RTX-4090", method="qlora")
    assert "plan.usable_assumed_card" not in codes(read.warnings)


def test_the_same_question_gets_the_same_plan(plan_for: PlanFor, machine: Machine) -> None:
    shapes = (machine("A100-SXM4-80GB"), machine("RTX-4090", 4, 1.5))
    assert plan_for("llama-3.1-8b", *shapes) == plan_for("llama-3.1-8b", *reversed(shapes))
