"""A watch asked for outside a channel is told what to type there, never made in silence."""

import pytest

from bot.language import LANGUAGES, words
from bot.render import render
from planner.query import Language
from tests.standins.discord_desks import real_desk


@pytest.mark.parametrize(
    ("text", "language", "told"),
    [
        ("tell us when llama-70b qlora gets under $40", "en", "/watch tell us when llama-70b"),
        ("kabari kalau llama-70b qlora di bawah $40", "id", "/watch kabari kalau llama-70b"),
        ("/watch llama-70b qlora under $40", "en", "/watch llama-70b qlora under $40"),
    ],
)
def test_the_same_words_work_behind_the_command(text: str, language: Language, told: str) -> None:
    answer = real_desk().answer_now(text, language=language)
    assert answer.language == language
    assert told in render(answer.card, "console", words(language)).replace("\n", " ")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", ["/watch", "/watch llama-70b qlora under $40 " + "x" * 200])
def test_a_text_that_has_no_room_is_shown_an_example(text: str, language: Language) -> None:
    answer = real_desk().answer_now(text, language=language)
    assert "/watch llama-70b qlora" in render(answer.card, "console", words(language))
