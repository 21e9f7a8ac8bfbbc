"""What people typed is shown as typed, and does nothing."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.escaping import clean, clip, code, discord_text, mrkdwn


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("<!channel>", "&lt;!channel&gt;"),
        ("a & b", "a &amp; b"),
        ("&lt;", "&amp;lt;"),
        ("<https://x.example|y>", "&lt;https://x.example|y&gt;"),
    ],
)
def test_slack_reads_no_entity_that_somebody_typed(typed: str, shown: str) -> None:
    assert mrkdwn(typed) == shown


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("@everyone", "@\u200beveryone"),
        ("@Here", "@\u200bHere"),
        ("<@&12>", "\\<@\u200b&12\\>"),
        ("a_b*c`d", "a\\_b\\*c\\`d"),
        ("# head", "\\# head"),
        ("- item", "\\- item"),
        ("[a](b)", "\\[a\\](b)"),
        ("meta-llama/Llama-3 (8B)", "meta-llama/Llama-3 (8B)"),
    ],
)
def test_discord_reads_neither_mark_nor_mention(typed: str, shown: str) -> None:
    assert discord_text(typed) == shown


def test_a_code_block_cannot_be_closed_from_inside() -> None:
    assert "`" not in code("a```b`")


@given(st.text())
def test_clean_text_is_one_line_without_control_characters(text: str) -> None:
    cleaned = clean(text)
    assert {unicodedata.category(letter) for letter in cleaned}.isdisjoint({"Cc", "Cs", "Zl", "Zp"})
    assert clean(cleaned) == cleaned


def test_direction_overrides_go_and_joined_emoji_stay() -> None:
    assert clean("\u202eevil\u2066") == "evil"
    assert clean("\U0001f469\u200d\U0001f4bb") == "\U0001f469\u200d\U0001f4bb"


@given(st.text(), st.integers(min_value=1, max_value=50))
def test_a_clipped_text_is_never_longer_than_asked(text: str, length: int) -> None:
    assert len(clip(text, length)) <= length


def test_clipping_happens_at_a_word() -> None:
    assert clip("one two three", 10) == "one two…"
    assert clip("unbreakable", 6) == "unbre…"
