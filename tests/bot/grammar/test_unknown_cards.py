"""A card nobody knows is named with its neighbours, never quietly exchanged for another."""

from datetime import UTC, datetime

import pytest

from bot.grammar import read
from bot.planning import plan_for
from bot.pricing import prices_for
from planner.errors import BadInput

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("llama-8b qlora 1x 2070", "2070"),
        ("llama-8b qlora on nvidia rtx 7090", "nvidia rtx 7090"),
        ("llama-8b lora di h300", "h300"),
    ],
)
def test_a_fit_question_warns_that_the_answer_is_not_about_it(text: str, typed: str) -> None:
    asked = read(text)
    warned = plan_for(asked, None, NOW).plan.warnings
    named = [one.values for one in warned if one.code == "grammar.gpu_unknown"]
    assert [values["typed"] for values in named] == [typed]
    nearest = named[0]["nearest"]
    assert isinstance(nearest, tuple)
    assert nearest


def test_words_that_are_no_card_are_left_out_with_a_warning() -> None:
    warned = plan_for(read("llama-8b lora zzgrblx 2026"), None, NOW).plan.warnings
    left = [one.values["words"] for one in warned if one.code == "grammar.not_understood"]
    assert left == [("zzgrblx", "2026")]


def test_prices_of_an_unknown_card_are_not_the_prices_of_all_cards() -> None:
    with pytest.raises(BadInput) as refused:
        prices_for(read("/prices rtx 7090"), None, NOW)
    assert refused.value.note.code == "gpus.unknown"


def test_a_card_alone_is_not_taken_for_a_model() -> None:
    assert read("/fit 1x 2070").model is None
