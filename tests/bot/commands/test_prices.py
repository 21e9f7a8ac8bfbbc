"""/prices says what it took the question to mean, on every surface."""

from datetime import UTC, datetime

import pytest

from bot.commands.prices import answer_prices
from bot.commands.registry import Asking
from bot.grammar import read
from bot.language import words
from bot.render import render

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize("surface", ["console", "slack", "discord", "web"])
def test_words_left_out_and_a_default_card_are_told_beside_the_prices(surface: str) -> None:
    card = answer_prices(read("/prices a100 zzgrblx"), Asking(None, NOW, "en"))
    shown = str(render(card, surface, words("en")))
    assert "zzgrblx" in shown
    assert "A100-PCIe-40GB" in shown


def test_a_question_read_whole_needs_no_remark() -> None:
    card = answer_prices(read("/prices l40s spot"), Asking(None, NOW, "en"))
    assert [section.name for section in card.sections] == ["prices"]
