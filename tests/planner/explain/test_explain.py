"""What is explained is what the plan says: every formula is worked out again from its inputs."""

import ast
import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.grammar import read
from bot.planning import plan_for
from planner.explain.explain import explain
from planner.explain.figure import Figure
from planner.plan.result import Plan

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
FUNCTIONS: dict[str, Callable[..., float]] = {
    "sqrt": math.sqrt, "ceil": math.ceil, "floor": math.floor,
    "min": min, "max": max, "round": round,
}  # fmt: skip
OPERATORS: dict[type, Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}


def worked_out(node: ast.AST, inputs: dict[str, float]) -> float:
    """Arithmetic over names, and nothing else."""
    match node:
        case ast.Expression(body=body):
            return worked_out(body, inputs)
        case ast.Constant(value=float() | int() as value):
            return value
        case ast.Name(id=name):
            return inputs[name]
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](worked_out(left, inputs), worked_out(right, inputs))
        case ast.Call(func=ast.Name(id=name), args=args):
            return FUNCTIONS[name](*(worked_out(one, inputs) for one in args))
    raise AssertionError(ast.dump(node))


def planned(text: str) -> Plan:
    return plan_for(read(text), None, NOW).plan


TEXTS = [
    "llama-70b qlora",
    "llama-8b lora on a 4090",
    "llama-8b full on 8x h100 3 epochs",
    "llama-70b qlora deadline 20h",
    "mistral-7b lora spot 50k samples packing=false",
    "llama-8b qlora for 12 hours on an h100",
    "mixtral qlora under $3/h",
    "flux-dev lora",
]


@pytest.mark.parametrize("text", TEXTS)
def test_every_formula_gives_its_number(text: str) -> None:
    figures = explain(planned(text))
    assert len(figures) > 15
    for one in figures:
        if "=" in one.formula:
            continue
        found = worked_out(ast.parse(one.formula, mode="eval"), one.inputs)
        assert found == pytest.approx(one.value, rel=1e-6, abs=1e-9), one.name


@pytest.mark.parametrize("text", TEXTS)
def test_the_numbers_are_those_of_the_plan(text: str) -> None:
    plan = planned(text)
    option = plan.options[0]
    found: dict[str, Any] = {one.name: one.value for one in explain(plan)}
    assert found["peak_gib"] == plan.estimate.peak_gib
    assert found["tokens_per_s"] == option.tokens_per_s
    assert found["hours"] == option.hours
    assert found["usd_total"] == option.usd_total
    assert found["compute_usd"] == option.cost.compute_usd
    if plan.spot is not None:
        assert found["expected_usd_spot"] == plan.spot.expected_usd_spot
    assert plan.checkpoint is not None
    assert found["interval_minutes"] == plan.checkpoint.interval_minutes
    assert found["interval_minutes"] <= found.get("daly_minutes", math.inf) * (1 + 1e-9) or (
        plan.checkpoint.interval_steps == 1
    )


def test_what_does_not_fit_still_says_where_its_memory_goes() -> None:
    figures = {one.name: one for one in explain(planned("llama-70b lora on a 3060"))}
    assert figures["headroom_gib"].value < 0
    assert "usd_total" not in figures


def test_an_input_is_never_made_up() -> None:
    """Every name in a formula is an input and every input is in the formula."""
    for text in TEXTS:
        for one in explain(planned(text)):
            if "=" not in one.formula:
                tree = ast.parse(one.formula, mode="eval")
                names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
                assert names - FUNCTIONS.keys() == set(one.inputs), one.name
            assert isinstance(one, Figure) and one.source
