"""Any text reads, the same every time, and raises nothing but BadInput."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.grammar import read
from bot.grammar.command import Command
from bot.grammar.values import find_key
from planner.errors import BadInput
from planner.notes import Note
from planner.query import PlanQuery, Tuning

PIECES = st.sampled_from(
    ["llama", "3.1", "8b", "70b", "qlora", "full", "8x", "x2", "a100", "4090", "80gb", "4k", "ctx",
     "batch", "4", "$2", "/hr", "rp", "35.000", "budget", "budget=", ",89", "=", "--", "--gpu",
     "model=", "seq=", "12h", "jam", "in", "near", "us", "1M", "tokens", "berapa", "vs", "runpod",
     "qwq/qwen", "Qwen/Qwen3-8B", "https://", "<@U1>", "×", "—", '"', "zero3", "/fit", "lama", "r"]
)  # fmt: skip


def reading(text: str) -> Command | Note:
    try:
        return read(text)
    except BadInput as refused:
        return refused.note


@settings(deadline=None, max_examples=150)
@given(st.text(max_size=300))
def test_any_text_reads_the_same_twice(text: str) -> None:
    assert reading(text) == reading(text)


@settings(deadline=None, max_examples=250)
@given(st.lists(PIECES, max_size=14), st.sampled_from([" ", "", ", "]))
def test_any_mixture_of_known_pieces_reads(pieces: list[str], between: str) -> None:
    found = reading(between.join(pieces))
    if isinstance(found, Command):
        assert found.gpu_count is None or found.gpu_count > 0
        assert (found.model is not None) == (len(found.models) == 1)
        assert (found.gpu is not None) == (len(found.gpus) == 1)
        assert found.query().model == found.model


@pytest.mark.parametrize(
    "text",
    ["9" * 2000, "a" * 2000, "1." * 1000, "x=" * 1000, "--a " * 500, '"' * 2000, "<@" * 1000,
     "a/" * 1000, "rp " * 700, "1,000," * 333, "\ud800", "\x00", "8x" * 1000, "-" * 2000],
    ids=range(14),
)  # fmt: skip
def test_hostile_texts_read(text: str) -> None:
    assert reading(text) is not None


@pytest.mark.parametrize("key", [*Tuning.model_fields, *PlanQuery.model_fields])
def test_every_key_of_the_estimator_and_the_query_is_legal(key: str) -> None:
    if key != "training":
        assert find_key(key).key == key


def test_known_words_load_no_spelling_library() -> None:
    program = (
        "import sys; from bot.grammar import read; read('llama 3.1 8b qlora on 2x 4090, 4k ctx');"
        "sys.exit('rapidfuzz' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
