"""What is suggested while somebody types: names that exist, the likeliest first."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.grammar import read
from bot.suggestions import Kind, complete, suggest
from planner.models.registry import resolve
from planner.query import Method

MOST = 25


@pytest.mark.parametrize(
    ("kind", "typed", "first"),
    [
        ("model", "qwen3-8b", "Qwen/Qwen3-8B"),
        ("model", "meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B-Instruct"),
        ("model", "llama 3.3 70b", "meta-llama/Llama-3.3-70B-Instruct"),
        ("method", "q", "qlora"),
        ("method", "lora", "lora"),
        ("gpu", "L40", "L40"),
        ("gpu", "rtx 4090", "RTX-4090"),
        ("gpu", "rtx4090", "RTX-4090"),
        ("gpu", "rtx 4909", "RTX-4090"),
    ],
)
def test_the_likeliest_comes_first(kind: Kind, typed: str, first: str) -> None:
    assert suggest(kind, typed, MOST)[0].value == first


def test_a_misspelling_is_understood_where_nothing_is_spelled_so() -> None:
    assert "mistralai/Mistral-7B-Instruct-v0.3" in [
        one.value for one in suggest("model", "mistrral", MOST)
    ]


def test_names_that_begin_so_come_before_names_that_hold_it() -> None:
    """D109: an exact name, then those with that beginning, then the others."""
    found = suggest("model", "qwen", 500)
    begins = [
        any(name.lower().startswith("qwen") for name in (*one, one.value.partition("/")[2]))
        for one in found
    ]
    assert begins == sorted(begins, reverse=True)
    assert 0 < begins.count(True) < len(begins)


def test_nothing_typed_suggests_the_newest() -> None:
    assert len(suggest("model", "", MOST)) == MOST
    assert suggest("gpu", "", MOST)


def test_cards_that_no_stack_runs_on_are_not_suggested() -> None:
    assert suggest("gpu", "tpu-v5e", MOST) == ()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("lla", None),
        ("llama-70b ql", "llama-70b qlora"),
        ("llama-70b qlora on 2x L40", "llama-70b qlora on 2x L40"),
        ("llama-8b qlora di 4090", "llama-8b qlora di RTX-4090"),
    ],
)
def test_the_last_word_of_a_text_is_completed(text: str, wanted: str | None) -> None:
    values = [one.value for one in complete(text, MOST)]
    assert values
    assert wanted is None or wanted in values


def test_every_method_is_read_as_what_it_names() -> None:
    read_as = [read(f"/fit llama-8b {one.value}").method for one in suggest("method", "", 99)]
    assert read_as == list(get_args(Method))


def test_every_gpu_is_read_as_what_it_names() -> None:
    named = [one.value for one in suggest("gpu", "", 999)]
    assert [read(f"/fit llama-8b on {name}").gpu for name in named] == named


def test_every_model_is_found_under_what_it_names() -> None:
    named = [one.value for one in suggest("model", "", 999)]
    assert [resolve(name).architecture.hf_id for name in named] == named
    assert len(named) > 300


@settings(deadline=None)
@given(st.text(max_size=120))
def test_no_text_is_too_strange(text: str) -> None:
    """D109: at most 25, and never an error."""
    for found in (complete(text, MOST), suggest("model", text, MOST), suggest("gpu", text, MOST)):
        assert len({one.value for one in found}) == len(found) <= MOST
