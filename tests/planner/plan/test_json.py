"""A plan as JSON: the keys others script against, and notes as words."""

import json
from collections.abc import Callable

import pytest

from planner.catalog.offer import Shape
from planner.notes import Note
from planner.plan.result import Plan

TOP = """query verdict estimate options spot checkpoint alternatives catalog assumptions warnings"""
OPTION = """label provider instance_type gpu gpu_count nodes interconnect region market usd_per_hour
    hours usd_total tokens_per_s sharding micro_batch gradient_accumulation gradient_checkpointing
    device_gib headroom_gib host_ram_gib as_of freshness why"""
SPOT = """recommend expected_hours_spot expected_usd_spot expected_usd_on_demand
    interruptions_per_hour rate_source break_even_interruptions_per_hour why"""
CHECKPOINT = """size_gib write_seconds interval_minutes interval_steps keep_last overhead_fraction
    storage why"""
CATALOG = "as_of gathered_on age_hours freshness offers"
ESTIMATE = """peak_gib low_gib high_gib breakdown static_gib allocated_gib reserved_gib device_gib
    peak_phase host_ram_gib trainable_params total_params active_params evidence assumptions
    warnings"""
BREAKDOWN = """weights adapters gradients optimizer activations logits temporary context
    fragmentation"""
QUERY = """model method gpu gpu_count nodes vram_gib market region provider max_usd_per_hour
    max_usd_total deadline_hours rental_hours samples tokens epochs seq_len micro_batch training
    needs"""


@pytest.fixture(scope="module")
def found(plan_for: Callable[..., Plan], machine: Callable[..., Shape]) -> Plan:
    """A plan with every part in it."""
    on_demand = machine("A100-SXM4-80GB", usd=2.0)
    spot = machine("A100-SXM4-80GB", usd=0.5, market="spot")
    return plan_for("llama-3.1-8b", on_demand, spot)


def test_every_key_of_the_machine_interface_is_there(found: Plan) -> None:
    said = json.loads(found.model_dump_json())
    places = {
        TOP: said, OPTION: said["options"][0], SPOT: said["spot"], CHECKPOINT: said["checkpoint"],
        CATALOG: said["catalog"], ESTIMATE: said["estimate"], QUERY: said["query"],
        BREAKDOWN: said["estimate"]["breakdown"],
    }  # fmt: skip
    for keys, place in places.items():
        assert set(keys.split()) <= set(place), keys


def test_notes_become_the_words_that_the_context_gives(found: Plan) -> None:
    def shout(one: Note) -> str:
        return one.code.upper()

    bare = json.loads(found.model_dump_json())
    said = json.loads(found.model_dump_json(context={"say": shout}))
    assert bare["options"][0]["why"] == "plan.why_cheapest_run"
    assert said["options"][0]["why"] == "PLAN.WHY_CHEAPEST_RUN"
    assert said["assumptions"] == [one.upper() for one in bare["assumptions"]]
    assert said["alternatives"][0]["why"].startswith("PLAN.CHANGE_METHOD_LORA")


def test_the_verdict_and_the_estimate_are_those_of_the_first_option(found: Plan) -> None:
    assert found.options[0].device_gib == found.estimate.device_gib
    assert found.usable_gib is not None
    room = found.usable_gib - found.estimate.device_gib
    assert found.options[0].headroom_gib == pytest.approx(room)
    one = found.options[0]
    cost = one.cost
    assert one.hours == pytest.approx(cost.setup_hours + cost.training_hours + cost.saving_hours)
    assert cost.compute_usd == pytest.approx(one.usd_per_hour * cost.billed_hours)
    known = cost.compute_usd + (cost.storage_usd or 0) + (cost.egress_usd or 0)
    assert one.usd_total == pytest.approx(known)
