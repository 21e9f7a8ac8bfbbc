"""What cannot be read is refused by name with a suggestion, or named in a note."""

import pytest

from bot.grammar import read
from bot.language import LANGUAGES, words
from planner.errors import BadInput


def refusal(text: str) -> BadInput:
    with pytest.raises(BadInput) as refused:
        read(text)
    for language in LANGUAGES:
        sentence = words(language).say(refused.value.note)
        assert sentence != refused.value.note.code
    return refused.value


def test_d140_an_unknown_command_gets_a_suggestion_and_an_example_that_works() -> None:
    note = refusal("/fitt llama-3-8b").note
    assert (note.values["typed"], note.values["nearest"]) == ("/fitt", "/fit")
    assert read(str(note.values["example"])).command == "fit"


@pytest.mark.parametrize(
    ("text", "code", "named"),
    [
        ("llama-3-8b colour=red", "grammar.unknown_key", "colour"),
        ("llama-3-8b rank=abc", "grammar.not_a_number", "abc"),
        ("llama-3-8b rank=0", "grammar.not_a_number", "0"),
        ("llama-3-8b optimizer=adamz", "grammar.not_a_choice", "adamz"),
        ("llama-3-8b method=magic", "grammar.not_a_choice", "magic"),
        ("llama-3-8b packing=perhaps", "grammar.not_yes_or_no", "perhaps"),
        ("llama-3-8b lora_targets=", "grammar.no_value", "lora_targets"),
        ("llama-3-8b provider=nowhere", "grammar.not_known", "nowhere"),
        ("llama-3-8b region=atlantis", "grammar.not_known", "atlantis"),
        ("llama-3-8b gpu=nosuch", "gpus.unknown", "nosuch"),
        ("model=nosuch lora", "models.unknown", "nosuch"),
        ("fit nosuchmodel qlora", "models.unknown", "nosuchmodel"),
        ("foobar-9b lora", "models.unknown", "foobar-9b"),
        ("llama-3-8b on RTX 6000", "gpus.which_one", "rtx 6000"),
        ("llama-3-8b on A100 64GB", "gpus.no_such_memory", "a100 64gb"),
    ],
)
def test_a_bad_part_is_named(text: str, code: str, named: str) -> None:
    note = refusal(text).note
    assert note.code == code
    assert named in {str(value).lower() for value in note.values.values()}


def test_an_unknown_model_comes_with_three_names() -> None:
    nearest = refusal("fit llamma-8z-7b").note.values["nearest"]
    assert isinstance(nearest, tuple)
    assert len(set(nearest)) == 3


def test_the_choices_are_listed() -> None:
    known = refusal("llama-3-8b sharding=zero9").note.values["known"]
    assert known == ("none", "ddp", "zero1", "zero2", "zero3", "fsdp", "device_map")


def test_words_that_mean_nothing_are_named() -> None:
    command = read("llama-3.1-8b qlora blorptastic 4090 zzyzx")
    (note,) = [note for note in command.notes if note.code == "grammar.not_understood"]
    assert note.values["words"] == ("blorptastic", "zzyzx")


def test_a_number_nobody_asked_for_is_named() -> None:
    command = read("llama-3.1-8b qlora 17")
    (note,) = [note for note in command.notes if note.code == "grammar.not_understood"]
    assert note.values["words"] == ("17",)


def test_a_corrected_word_is_said() -> None:
    (note,) = read("mixtrl-8x7b lora").notes
    assert note.code == "grammar.read_as"
    assert note.values == {"typed": "mixtrl-8x7b", "meant": "mixtral-8x7b"}


def test_host_memory_is_said_not_taken_for_the_card() -> None:
    command = read("llama-3.1-8b qlora 3090 64gb ram")
    assert (command.gpu, command.vram_gib) == ("RTX-3090", None)
    assert [note.code for note in command.notes] == ["grammar.host_ram_not_used"]


def test_a_size_no_list_has_takes_the_nearest_model_and_says_so() -> None:
    command = read("110b qlora")
    assert command.model == "Qwen/Qwen1.5-110B"
    assert [note.code for note in command.notes] == ["grammar.size_taken_as"]


def test_a_long_text_is_cut_and_says_so() -> None:
    command = read("llama-3.1-8b qlora " + "please " * 400)
    assert command.model == "meta-llama/Llama-3.1-8B-Instruct"
    assert "grammar.too_long" in [note.code for note in command.notes]
