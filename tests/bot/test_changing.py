"""A question in the parts of a form: taken apart and put together it asks the same."""

import csv
from pathlib import Path

import pytest

from bot.changing import PARTS, UNSAID, form_of, parts_of, put_together
from bot.grammar import read
from bot.grammar.command import Command
from bot.store.asked import Asked
from planner.errors import Refusal
from planner.gpus.registry import planned_names
from planner.models.registry import every_id

HERE = Path(__file__).parent / "grammar"
TEXTS = [
    row["text"]
    for name in ("chat_queries.csv", "phrasings.csv")
    for row in csv.DictReader((HERE / name).read_text(encoding="utf-8").splitlines())
]
MORE = [
    "llama-8b qlora near jakarta needs docker and jupyter",
    "llama-8b region=us-east-1 at runpod or lambda spot",
    "llama-8b lora target_modules=q,k,v deadline_hours=2.5 epochs=2.5",
    "llama-8b offload zero3 rank=32 optimizer=adamw-8bit packing=false",
    'llama-8b stack_version="transformers 4.45.2" stack=hf-trl dataset=2.5gb',
    "flux lora resolution=1024 images=20 under Rp 750rb",
    "llama-8b method=prefix on 16 gpus nodes=2 gpu=h100",
    "llama-8b method=prompt 24gb card rent 5h max $2.5/h",
]
#: What a reading says of the words it was given, not of what is asked.
_OF_THE_WORDS = {"notes", "language", "gpus"}


def question(text: str) -> Command | None:
    """The reading of `text` where it is a question about one model."""
    try:
        asked = read(text)
    except Refusal:
        return None
    return asked if asked.command in ("fit", "explain", "recipe") and parts_of(asked) else None


def same(one: Command, other: Command) -> dict[str, object]:
    """What the two ask differently."""
    return {
        name: (mine, theirs)
        for name in Command.model_fields
        if name not in _OF_THE_WORDS
        and (mine := getattr(one, name)) != (theirs := getattr(other, name))
        and not (isinstance(mine, float) and theirs == pytest.approx(mine, rel=1e-5))
    }


@pytest.mark.parametrize("text", [*filter(question, TEXTS), *(f"/fit {text}" for text in MORE)])
def test_the_parts_of_a_question_ask_the_same(text: str) -> None:
    asked = question(text)
    assert asked is not None
    parts = parts_of(asked)
    assert parts is not None
    assert same(asked, read(f"/{asked.command} {put_together(parts)}")) == {}


def test_most_questions_of_the_examples_have_parts() -> None:
    assert sum(question(text) is not None for text in TEXTS) > 100


@pytest.mark.parametrize("hf_id", every_id())
def test_every_model_is_read_by_its_id(hf_id: str) -> None:
    assert read(f"/fit {hf_id} qlora").model == hf_id


@pytest.mark.parametrize("gpu", sorted(planned_names()))
@pytest.mark.parametrize("count", [1, 8, None])
def test_every_machine_is_read_as_it_is_shown(gpu: str, count: int | None) -> None:
    asked = Command(model="openai-community/gpt2", gpu=gpu, gpu_count=count)
    parts = parts_of(asked)
    assert parts is not None
    found = read(f"/fit {put_together(parts)}")
    assert (found.gpu, found.gpu_count) == (gpu, count)


def test_an_emptied_part_is_asked_no_more() -> None:
    parts = parts_of(read("/fit llama-8b qlora on 2x h100 under $40 seq=4096"))
    assert parts is not None
    left = read("/fit " + put_together({**parts, "method": UNSAID, "machine": "", "limits": " "}))
    assert (left.method, left.gpu, left.max_usd_total, left.seq_len) == (None, None, None, 4096)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("compare", "llama-8b full vs lora vs qlora"),
        ("fit", "llama-8b vs mistral-7b"),
        ("prices", "h100"),
        ("fit", "llama-8b color=blue"),
        ("fit", f"llama-8b stack_version={'x' * 600}"),
    ],
)
def test_what_has_no_parts_is_shown_as_it_was_typed(command: str, text: str) -> None:
    asked = Asked(command, text, "en", "slack", "T1", "U1")  # type: ignore[arg-type]
    assert form_of(asked, 1 / 16667, 500) == {
        "question": text[:499] + "…" if len(text) > 500 else text
    }


def test_a_form_shows_every_part_in_order() -> None:
    asked = Asked("fit", "llama-8b", "en", "slack", "T1", "U1")
    assert tuple(form_of(asked, 1 / 16667, 500)) == PARTS[1:]
