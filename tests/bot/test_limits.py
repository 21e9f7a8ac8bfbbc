"""What would be refused is found before it is sent."""

import csv
from importlib.resources import files
from typing import Any

import pytest

from bot.limits import limit, violations


def slack(*blocks: dict[str, Any], text: str = "a card") -> dict[str, Any]:
    return {"text": text, "blocks": list(blocks)}


def section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def discord(*texts: str) -> dict[str, Any]:
    nodes = [{"type": "text_display", "content": text} for text in texts]
    return {"type": "container", "tone": "good", "components": nodes}


@pytest.mark.parametrize(
    ("payload", "breaks"),
    [
        (slack(*[{"type": "divider"}] * 51), "blocks per message: 51 of 50"),
        (slack(section("x" * 3001)), "text object: 3001 of 3000"),
        (slack(section("")), "empty text in section"),
        (slack({"type": "header", "text": plain("x" * 151)}), "header text: 151 of 150"),
        (slack({"type": "section", "fields": [plain("x")] * 11}), "section fields: 11 of 10"),
        (
            slack({"type": "section", "fields": [plain("x" * 2001)]}),
            "section field text: 2001 of 2000",
        ),
        (slack({"type": "context", "elements": [plain("x")] * 11}), "context elements: 11 of 10"),
        (slack(section("x"), text="x" * 4001), "message text: 4001 of 4000"),
        (slack({"type": "header", "text": plain("🤖" * 76)}), "header text: 152 of 150"),
    ],
)
def test_each_limit_of_slack_is_known(payload: dict[str, Any], breaks: str) -> None:
    assert violations("slack", payload) == [breaks]


def test_a_slack_message_too_large_as_a_whole_is_found() -> None:
    found = violations("slack", slack(*[section("x" * 2900)] * 5))
    assert len(found) == 1
    assert found[0].startswith("blocks payload characters: 14")


@pytest.mark.parametrize(
    ("payload", "breaks"),
    [
        (discord(*["x"] * 40), "components per message: 41 of 40"),
        (discord("x" * 2500, "x" * 1501), "text over the message: 4001 of 4000"),
        (discord("🤖" * 2001), "text over the message: 4002 of 4000"),
        (discord(""), "empty text"),
    ],
)
def test_each_limit_of_discord_is_known(payload: dict[str, Any], breaks: str) -> None:
    assert violations("discord", payload) == [breaks]


def test_the_largest_payloads_that_are_accepted_pass() -> None:
    assert violations("slack", slack(*[{"type": "divider"}] * 49, section("x" * 3000))) == []
    assert violations("discord", discord(*["x" * 100] * 39)) == []


def test_every_limit_says_where_it_comes_from_and_when_it_was_read() -> None:
    text = files("bot").joinpath("data/chat_limits.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    assert all(row["source"] and row["read_on"] for row in rows)
    assert limit("discord", "text over the message") == 4000
