"""`muat compare` and texts with "vs": one plan for each thing named."""

import json
from typing import Any

import jsonschema
import pytest

from bot.cli import run


def compared(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> dict[str, Any]:
    assert run(["compare", *words, "--json"]) == status
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def asked(found: dict[str, Any]) -> list[str]:
    return [one["asked"] for one in found["columns"]]


def test_on_names_the_cards(capsys: pytest.CaptureFixture[str]) -> None:
    found = compared(capsys, "llama-70b qlora", "--on", "a100-80, h100, 2x4090")
    assert asked(found) == ["1x A100-SXM4-80GB", "1x H100-SXM5", "2x RTX-4090"]
    assert [one["verdict"] for one in found["columns"]] == ["fits", "fits", "does_not_fit"]
    assert found["columns"][2]["option"] is None
    assert found["catalog"]["offers"] > 0


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("4x4090 vs 1xH100 qwen3 32b qlora", ["4x RTX-4090", "1x H100-SXM5"]),
        (
            "mending sewa 2x4090 apa 1xA100 buat lora gemma 3 12b",
            ["2x RTX-4090", "1x A100-SXM4-80GB"],
        ),
        ("compare qlora vs lora for llama-8b on a 4090", ["qlora", "lora"]),
        ("llama-8b vs qwen-7b lora", ["Llama-3.1-8B-Instruct", "Qwen2.5-7B-Instruct"]),
        ("runpod vs vast for llama-8b lora", ["RunPod", "Vast.ai"]),
    ],
)
def test_every_kind_of_thing_is_compared(
    text: str, columns: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked(compared(capsys, text)) == columns


def test_several_kinds_make_every_pair(capsys: pytest.CaptureFixture[str]) -> None:
    found = compared(capsys, "llama-8b qlora vs lora on a100 vs h100")
    assert asked(found) == [
        "qlora, 1x A100-SXM4-80GB",
        "qlora, 1x H100-SXM5",
        "lora, 1x A100-SXM4-80GB",
        "lora, 1x H100-SXM5",
    ]


def test_a_column_is_the_plan_of_its_own_question(capsys: pytest.CaptureFixture[str]) -> None:
    found = compared(capsys, "llama-8b lora a100 vs h100")
    assert run(["fit", "llama-8b lora on 1x h100", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert found["columns"][1]["estimate"] == plan["estimate"]
    assert found["columns"][1]["option"] == plan["options"][0]


def test_without_a_model_prices_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    found = compared(capsys, "compare lambda, runpod and aws for 8xH100")
    assert {row["provider"] for row in found["rows"]} == {"Lambda", "RunPod", "AWS"}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("llama-8b lora", "two things"),
        ("llama-8b qlora vs lora vs full on a100 vs h100 vs l40s", "9 columns"),
    ],
)
def test_too_little_and_too_much_are_one_sentence(
    text: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", text]) == 2
    captured = capsys.readouterr()
    assert named in captured.err and captured.err.count("\n") == 1
    assert not captured.out


def test_nothing_fits_is_no(capsys: pytest.CaptureFixture[str]) -> None:
    found = compared(capsys, "llama-70b lora 3090 vs 4090", status=1)
    assert (found["cheapest"], found["fastest"]) == (None, None)


def test_the_schema_describes_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "compare"]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.validate(compared(capsys, "llama-8b lora a100 vs h100"), schema)


@pytest.mark.parametrize("language", ["en", "id"])
def test_the_text_names_the_trade(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "llama-8b lora 3090 vs h200", "--lang", language]) == 0
    shown = capsys.readouterr().out
    assert {"en": "Side by side", "id": "Perbandingan"}[language] in shown
    assert "1x RTX-3090" in shown and "1x H200-SXM" in shown
