"""Ids that the registry does not know: the text names a model, and the hub is asked later."""

import pytest

from bot.grammar import read
from planner.errors import BadInput


@pytest.mark.parametrize(
    ("text", "hf_id"),
    [
        ("someone/thing-7b lora", "someone/thing-7b"),
        ("/fit acme/wonder qlora on a100", "acme/wonder"),
        ("model=acme/wonder qlora", "acme/wonder"),
        ("fit https://huggingface.co/Acme/New-7B qlora", "Acme/New-7B"),
        ("berapa gpu buat finetune acme/Baru-7B?", "acme/Baru-7B"),
    ],
)
def test_an_id_nobody_knows_is_a_model_of_the_hub(text: str, hf_id: str) -> None:
    asked = read(text)
    assert asked.command == "fit"
    assert asked.model == hf_id
    told = [one.values["model"] for one in asked.notes if one.code == "models.from_hub"]
    assert told == [hf_id]


def test_two_ids_are_compared() -> None:
    asked = read("compare acme/a-7b vs acme/b-13b")
    assert asked.command == "compare"
    assert asked.models == ("acme/a-7b", "acme/b-13b")
    assert asked.model is None


def test_the_registry_comes_first() -> None:
    asked = read("fit someone/Llama-3.1-8B qlora")
    assert asked.model == "meta-llama/Llama-3.1-8B-Instruct"


@pytest.mark.parametrize(
    "text", ["llama-8b qlora on tatsu-lab/alpaca-52k", "7b qlora on tatsu-lab/alpaca-52k"]
)
def test_beside_a_model_an_id_is_something_else(text: str) -> None:
    asked = read(text)
    assert len(asked.models) == 1
    assert "tatsu-lab/alpaca-52k" not in asked.models
    assert [one.values["words"] for one in asked.notes if one.code == "grammar.not_understood"]


@pytest.mark.parametrize("text", ["lora and/or qlora", "prices h100/a100", "24/7 h100 price"])
def test_a_slash_alone_makes_no_model(text: str) -> None:
    assert read(text).models == ()


def test_a_name_without_an_owner_is_refused() -> None:
    with pytest.raises(BadInput) as refused:
        read("fit nosuchmodel-7b lora")
    assert refused.value.note.code == "models.unknown"
