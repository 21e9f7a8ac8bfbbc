"""The desk: every text becomes one card, a user's mistake included, in the reader's language."""

import asyncio
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.cards.notice import notice_card
from bot.desk import AT_ONCE, Answer, Desk
from bot.language import words
from bot.render import render
from planner.notes import note
from planner.query import Language

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)


@pytest.fixture
def desk() -> Desk:
    return Desk(None, 1 / 16667, lambda: NOW)


def said(desk: Desk, text: str, language: Language | None = None) -> tuple[str, str]:
    answer = desk.answer_now(text, language=language)
    return answer.card.kind, render(answer.card, "console", words(answer.language))


def test_a_text_becomes_a_card(desk: Desk) -> None:
    kind, text = said(desk, "/fit llama-70b qlora")
    assert kind == "fit"
    assert "Llama 3.3 70B" in text


def test_a_text_that_tells_no_language_is_answered_in_the_readers(desk: Desk) -> None:
    assert "Muat di" in said(desk, "/fit llama-70b qlora", "id")[1]
    assert "Fits on" in said(desk, "/fit llama-70b qlora", "en")[1]
    assert "Fits on" in said(desk, "/fit llama-70b qlora")[1]


def test_a_text_in_another_language_is_answered_in_its_own(desk: Desk) -> None:
    assert "Muat di" in said(desk, "llama 3.3 70b qlora muat ga di 2x h100?", "en")[1]
    assert "Fits on" in said(desk, "what should I rent for llama-70b qlora?", "id")[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/fit nosuchmodel-9b qlora", "nosuchmodel-9b"),
        ("/fitt llama-3-8b", "/fit llama-3.1-8b"),
        ("/fit sdxl lora loss=standard", "image and video models"),
        ("/fit 24gb qlora", "Which model?"),
        ("/compare llama-8b lora", "two things"),
        ("thanks!", "/fit"),
        ("/prices gtx 1660", "No priced offer"),
        ("", "/fit"),
    ],
)
def test_what_cannot_be_answered_is_a_sentence_with_a_way_on(
    desk: Desk, text: str, expected: str
) -> None:
    kind, shown = said(desk, text)
    assert kind == "notice"
    assert expected in shown


def test_help_lists_every_command_with_an_example_that_reads_as_it(desk: Desk) -> None:
    from bot.commands.registry import all_commands
    from bot.grammar import read

    for language in ("en", "id"):
        spoken = words(language)
        shown = said(desk, "/help", language)[1]
        for name, spec in all_commands().items():
            example = spoken.t(spec.example_key)
            assert example in shown
            assert read(example).command == name
            assert spoken.t(spec.help_key) != spec.help_key


async def test_answers_are_computed_off_the_loop_and_few_at_a_time(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()
    loop_thread = threading.current_thread()
    running: list[str] = []
    most: list[int] = []

    def slow(text: str, *, language: Language | None = None) -> Answer:
        assert threading.current_thread() is not loop_thread
        running.append(text)
        most.append(len(running))
        release.wait(10)
        running.remove(text)
        return Answer(notice_card((note("cards.no_prices", text=text),), "neutral"), "en")

    monkeypatch.setattr(desk, "answer_now", slow)
    asked = [asyncio.create_task(desk.answer(str(number))) for number in range(5)]
    while len(running) < AT_ONCE:
        await asyncio.sleep(0)
    release.set()
    answers = await asyncio.gather(*asked)
    said = [answer.card.sections[0].body.notes[0].values["text"] for answer in answers]
    assert said == ["0", "1", "2", "3", "4"]
    assert max(most) == AT_ONCE


def test_a_teams_own_catalog_is_read(tmp_path: Path) -> None:
    from planner.catalog.build import write_catalog
    from planner.catalog.sources.bundled import bundled_offers

    only_verda = [offer for offer in bundled_offers() if offer.provider == "Verda"]
    write_catalog(only_verda, tmp_path / "ours.sqlite")
    desk = Desk(tmp_path / "ours.sqlite", 1 / 16667, lambda: NOW)
    assert "Verda" in said(desk, "/fit llama-70b qlora")[1]
    assert "Hyperbolic" not in said(desk, "/fit llama-70b qlora")[1]
