"""Notes and refusals: a code, its values, and words only where somebody gives them."""

import pytest
from pydantic import ValidationError

from planner.errors import BadInput, NotFound, Refusal
from planner.notes import Note, note


def test_a_note_without_words_is_its_code() -> None:
    assert note("plan.no_offer").model_dump() == "plan.no_offer"


def test_words_come_from_the_context_and_see_the_values() -> None:
    def say(one: Note) -> str:
        return f"{one.code} of {one.values['gpu']}"

    one = note("plan.no_offer_of_card", gpu="T4")
    assert one.model_dump(context={"say": say}) == "plan.no_offer_of_card of T4"


def test_a_value_may_be_called_code() -> None:
    assert note("any.code", code="x").values == {"code": "x"}


def test_a_note_does_not_change() -> None:
    with pytest.raises(ValidationError):
        note("any.code").code = "other"


@pytest.mark.parametrize(("kind", "exit_code"), [(BadInput, 2), (NotFound, 1)])
def test_a_refusal_carries_its_note_and_exit_status(kind: type[Refusal], exit_code: int) -> None:
    refusal = kind("memory.unknown_target", target="zzz")
    assert refusal.note == note("memory.unknown_target", target="zzz")
    assert refusal.exit_code == exit_code
    assert str(refusal) == "memory.unknown_target"
