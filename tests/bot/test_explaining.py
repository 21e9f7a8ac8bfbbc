"""`muat fit --explain` and /explain."""

import json
from datetime import UTC, datetime

import pytest

from bot.cli import run
from bot.commands.explain import answer_explain
from bot.commands.registry import Asking
from bot.grammar import read
from bot.language import words
from bot.render import render

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)


def test_json_has_the_figures_only_where_they_are_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["fit", "llama-8b qlora on a 4090", "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert run(["fit", "llama-8b qlora on a 4090", "--explain", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "explain" not in plain
    assert found.pop("explain")[0].keys() == {
        "name", "value", "unit", "formula", "inputs", "source",
    }  # fmt: skip
    assert found.keys() == plain.keys()


@pytest.mark.parametrize("language", ["en", "id"])
def test_text_shows_formula_and_inputs_below_the_card(
    language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["fit", "llama-8b qlora on a 4090", "--explain", "--lang", language]) == 0
    shown = capsys.readouterr().out
    assert "compute_usd = billed_hours * usd_per_hour" in shown
    assert "Daly (2006)" in shown


@pytest.mark.parametrize("surface", ["slack", "discord", "console", "web"])
@pytest.mark.parametrize("language", ["en", "id"])
def test_every_surface_shows_every_figure(surface: str, language: str) -> None:
    asked = read("/explain llama-70b qlora")
    assert asked.command == "explain"
    card = answer_explain(asked, Asking(None, NOW, "en"))
    spoken = words(language)  # type: ignore[arg-type]
    shown = json.dumps(render(card, surface, spoken), ensure_ascii=False)  # type: ignore[call-overload]
    for figure in card.sections[0].body.figures:
        assert spoken.t(f"explain.{figure.name}") in shown


def test_explain_in_a_sentence_is_a_question_not_the_command() -> None:
    assert read("explain qlora vs lora").command != "explain"
    assert read("why is spot cheaper").command == "ask"
