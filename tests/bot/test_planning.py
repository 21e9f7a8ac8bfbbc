"""What a plan makes of a reading: several cards, a closed model, words left out."""

from datetime import UTC, datetime

import pytest

from bot.grammar import read
from bot.planning import plan_for
from bot.wanted import catalog_filters
from planner.catalog.store import open_catalog
from planner.errors import BadInput
from planner.models.registry import resolve
from planner.plan.plan import Prices, plan

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)


def test_of_several_cards_only_these_are_offered_and_that_is_said() -> None:
    plan = plan_for(read("/fit 3090 vs 4090 llama 8b qlora"), None, NOW).plan
    assert plan.options
    assert {option.gpu for option in plan.options} <= {"RTX-3090", "RTX-4090"}
    told = [one.values["gpus"] for one in plan.assumptions if one.code == "grammar.several_gpus"]
    assert told == [("RTX-3090", "RTX-4090")]


def test_a_closed_model_is_named_as_closed() -> None:
    with pytest.raises(BadInput) as refused:
        plan_for(read("/fit gpt-4 fine tune"), None, NOW)
    assert refused.value.note.code == "grammar.closed_model"


def test_a_cpu_is_not_silently_exchanged_for_a_card() -> None:
    warned = plan_for(read("tinyllama qlora on cpu"), None, NOW).plan.warnings
    assert ("cpu",) in [one.values.get("words") for one in warned]


@pytest.mark.parametrize(
    "text",
    [
        "/fit llama-70b qlora",
        "/fit llama-70b full offload zero3",
        "/fit qwen2.5-7b lora spot",
        "/fit llama-3.1-8b full near jakarta",
        "/fit llama-3.1-8b qlora on runpod done in 2h",
        "/fit llama-70b lora under $3/h needs infiniband",
        "/fit llama-3.1-8b on h100",
    ],
)
def test_the_few_best_shapes_give_the_plan_that_all_of_them_give(text: str) -> None:
    asked = read(text)
    assert asked.model
    architecture, query = resolve(asked.model).architecture, asked.query()
    with open_catalog() as catalog:
        filters, facts = catalog_filters(asked), catalog.facts(NOW)
        best, every = catalog.best(**filters), catalog.shapes(**filters)
        assert len(best) < len(every)
        found = plan(query, architecture, Prices(best, facts), NOW)
        assert found == plan(query, architecture, Prices(every, facts), NOW)


@pytest.mark.parametrize(("provider", "thin"), [("cudo", True), ("aws", False), ("vultr", True)])
def test_a_provider_of_few_offers_may_be_incomplete(provider: str, thin: bool) -> None:
    """D047: one offer of a provider is not what the provider sells; the sample's day is told."""
    found = plan_for(read(f"mixtral-8x7b qlora provider={provider}"), None, NOW).plan
    told = [one for one in found.warnings if one.code == "plan.few_offers"]
    assert bool(told) is thin
    if told:
        assert told[0].values["day"] == "2026-12-01"


@pytest.mark.parametrize("provider", ["gcp", "aws", "azure", "runpod"])
def test_only_machines_of_the_catalog_are_offered(provider: str) -> None:
    """D045: a card and a host are never put together that no row of the catalog has together."""
    with open_catalog() as catalog:
        rows = {
            (o.provider, o.instance_type, o.gpu, o.gpu_count, o.host_ram_gib, o.region)
            for o in catalog.offers()
        }
        kinds = {row[:5] for row in rows}
    for text in (f"llama-3-8b lora provider={provider}", f"llama-70b qlora provider={provider}"):
        for one in plan_for(read(text), None, NOW).plan.options:
            count = one.gpu_count // one.nodes
            assert any(
                row[:4] == (one.provider, one.instance_type, one.gpu, count)
                and row[5] == one.region
                for row in rows
            )
            rams = [kind[4] for kind in kinds if kind[1] == one.instance_type]
            needed = one.host_ram_gib
            assert needed is None or any(ram is None or ram >= needed for ram in rams)


@pytest.mark.parametrize("card", ["h100", "a100", "l40s", "rtx a6000", "4090", "t4"])
def test_cards_of_every_class_are_planned_for(card: str) -> None:
    """D043: data centre, workstation and consumer cards."""
    assert plan_for(read(f"qwen-0.5b qlora on {card}"), None, NOW).plan.verdict == "fits"


def test_an_unknown_card_gets_the_nearest_names() -> None:
    """D043"""
    found = plan_for(read("/fit llama-3-70b qlora on h900"), None, NOW).plan
    (told,) = [one for one in found.warnings if one.code == "grammar.gpu_unknown"]
    nearest = told.values["nearest"]
    assert isinstance(nearest, tuple) and "H100-SXM5" in nearest
    with pytest.raises(BadInput) as refused:
        read("/fit llama-3-70b qlora gpu=rtx-4099")
    assert refused.value.note.code == "gpus.unknown"
