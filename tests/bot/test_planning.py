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
