"""The samples for people who restyle templates."""

from typing import get_args

import pytest

from bot.cards.card import Kind
from bot.cards.sample import sample_card, sample_names
from planner.errors import BadInput


def test_there_is_a_sample_of_every_kind_of_card() -> None:
    assert {sample_card(name).kind for name in sample_names()} == set(get_args(Kind))


def test_an_unknown_sample_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(BadInput) as refused:
        sample_card("fitt")
    assert refused.value.note.values == {"name": "fitt", "known": sample_names()}
