"""Every kind of card, for any model, method and language, is a message that Discord takes."""

from datetime import UTC, datetime
from functools import cache
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cards.bodies import NotesBody
from bot.cards.card import Card, Section
from bot.commands.registry import all_commands
from bot.desk import Answer, Desk
from bot.discord.answers import Answers, rest_message
from bot.discord.asking import Asker
from bot.discord.showing import Outgoing
from bot.language import LANGUAGES
from planner.gpus import registry as gpus
from planner.models import registry as models
from planner.notes import note
from planner.query import Language, Method
from tests.standins.discord_client import answers_of
from tests.standins.discord_rules import COMPONENTS_V2, check_message

RANI = Asker("400000000000000001", "rani", "200000000000000001", "300000000000000001", "en")
MODELS = models.every_id()
METHODS: tuple[Method, ...] = get_args(Method)
GPUS = sorted(gpus.planned_names())


@cache
def desk() -> Desk:
    return Desk(None, 1 / 16667, lambda: datetime(2026, 12, 1, 9, tzinfo=UTC))


@cache
def answers() -> Answers:
    return answers_of(desk())


def check(out: Outgoing) -> None:
    """Refuse what Discord refuses."""
    message = {"flags": COMPONENTS_V2, "components": out.view.to_components()}
    files = {str(file.filename): file.fp.read() for file in out.files}
    check_message(message, COMPONENTS_V2, files)


def check_answer(answer: Answer, text: str) -> None:
    check(answers().laid_out(answer, text, RANI, shareable=True))
    check(rest_message(answer))


@pytest.mark.parametrize("position", range(0, len(MODELS), 6))
async def test_any_model_is_answered_within_the_limits(position: int) -> None:
    method = METHODS[position // 6 % len(METHODS)]
    language = LANGUAGES[position // 6 % 2]
    text = f"/fit {MODELS[position]} {method}"
    check_answer(desk().answer_now(text, language=language), text)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(sorted(set(all_commands()) | {"fit"})),
    st.sampled_from(MODELS),
    st.sampled_from(METHODS),
    st.sampled_from([*GPUS, "zork-9000"]),
    st.integers(1, 9),
    st.sampled_from(LANGUAGES),
)
async def test_any_command_is_answered_within_the_limits(
    command: str, model: str, method: Method, gpu: str, count: int, language: Language
) -> None:
    text = f"/{command} {model} {method} on {count}x {gpu} seq=8192 and zorkblatt"
    check_answer(desk().answer_now(text, language=language), text)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.sampled_from(MODELS), min_size=2, max_size=3),
    st.lists(st.sampled_from(GPUS), min_size=1, max_size=2),
    st.sampled_from(LANGUAGES),
)
async def test_any_comparison_is_answered_within_the_limits(
    compared: list[str], cards: list[str], language: Language
) -> None:
    text = f"/compare {' vs '.join(compared)} qlora on {' vs '.join(cards)}"
    check_answer(desk().answer_now(text, language=language), text)


async def test_a_card_that_no_message_can_hold_is_a_file() -> None:
    """D105: what must stay is never cut, and never refused."""
    notes = tuple(note("discord.apology", error_id=f"{n} " + "x" * 79) for n in range(60))
    section = Section(name="message", priority=0, body=NotesBody(notes=notes))
    answer = Answer(Card(kind="notice", tone="neutral", sections=(section,)), "en")
    out = answers().laid_out(answer, "/fit", RANI, shareable=True)
    written = file_text(out)
    assert all(f"{n}xxx" in written for n in range(60))
    check_answer(answer, "/fit")


def file_text(out: Outgoing) -> str:
    (file,) = out.files
    return "".join(file.fp.read().decode().split())


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=500), st.sampled_from(LANGUAGES))
async def test_any_text_is_answered_within_the_limits(text: str, language: Language) -> None:
    check_answer(desk().answer_now(f"/fit {text}", language=language), text)
