"""Models the registry does not know: from a config file, or from the hub once somebody asks."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.cli import run
from bot.unknown_models import with_hub
from planner.errors import BadInput
from planner.models import registry
from planner.models.hub import HubModel

CONFIG = {
    "model_type": "brandnew", "vocab_size": 128256, "hidden_size": 4096,
    "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 8, "tie_word_embeddings": False,
}  # fmt: skip


@pytest.fixture
def asked_of_hub(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A hub that knows every model as CONFIG; the ids it was asked for."""
    asked: list[str] = []

    def hub_model(hf_id: str) -> HubModel:
        asked.append(hf_id)
        return HubModel(CONFIG, 8_030_261_248)

    monkeypatch.setattr("planner.models.hub.hub_model", hub_model)
    monkeypatch.setattr("planner.models.registry._LEARNT", {})
    return asked


def _answer(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert run(arguments) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_an_estimate_of_a_config_file_is_that_of_the_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**CONFIG, "model_type": "llama"}), encoding="utf-8")
    of_file = _answer(
        ["estimate", "--config", str(path), "qlora", "seq_len=4096", "--json"], capsys
    )
    of_name = _answer(["estimate", "llama-3.1-8b", "qlora", "seq_len=4096", "--json"], capsys)
    assert of_file["peak_gib"] == pytest.approx(of_name["peak_gib"], rel=1e-3)
    assert any(str(path) in said for said in of_file["assumptions"])


@pytest.mark.parametrize("text", ["[]", "{", '{"hidden_size": -4}'])
def test_a_bad_config_file_is_one_sentence(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.json"
    path.write_text(text, encoding="utf-8")
    assert run(["estimate", "--config", str(path), "lora"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1


def test_the_hub_is_asked_only_for_what_the_registry_does_not_know(
    asked_of_hub: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    _answer(["estimate", "meta-llama/Llama-3.1-8B", "lora", "--json"], capsys)
    assert asked_of_hub == []
    found = _answer(["estimate", "someorg/brandnew-8b", "lora", "--json"], capsys)
    assert found["total_params"] == 8_030_261_248
    assert asked_of_hub == ["someorg/brandnew-8b"]
    assert any("brandnew" in said for said in found["assumptions"])


def test_a_question_about_a_model_of_the_hub_is_planned(
    asked_of_hub: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = _answer(["fit", "someorg/brandnew-8b qlora on a100", "--json"], capsys)
    assert found["query"]["model"] == "someorg/brandnew-8b"
    assert found["estimate"]["total_params"] == 8_030_261_248
    assert asked_of_hub == ["someorg/brandnew-8b"]


def test_words_that_are_no_id_are_never_looked_up(asked_of_hub: list[str]) -> None:
    with pytest.raises(BadInput):
        with_hub(lambda: registry.resolve("a model of mine"))
    assert asked_of_hub == []
