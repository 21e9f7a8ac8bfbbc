"""The whole trip in Slack: what somebody types, the real desk and planner, a card Slack takes."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.desk import Desk
from bot.slack.app import connected
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tests.standins.slack_answers import answers_of

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.fixture
async def slack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SlackStandIn]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    desk = Desk(None, 1 / 16667, lambda: NOW)
    async with (
        SlackStandIn() as stand_in,
        connected(
            bot_token=BOT_TOKEN,
            app_token=APP_TOKEN,
            answers=answers_of(desk),
            api_url=stand_in.api_url,
        ),
    ):
        await stand_in.connected()
        yield stand_in
        assert stand_in.refusals == [] and stand_in.pings == []


async def asked(slack: SlackStandIn, command: str, text: str, user: str = "U1") -> dict[str, Any]:
    sent = await slack.slash(command, text, user=user)
    assert await sent.acknowledged() < 3
    return await sent.answer()


@pytest.mark.parametrize(
    ("text", "rent", "memory"),
    [
        ("llama-70b qlora", "Rent\n", "Memory"),
        ("llama-70b qlora muat ga, sewa apa ya?", "Sewa\n", "Memori"),
    ],
)
async def test_fit_shows_what_to_rent_and_where_the_memory_goes(
    slack: SlackStandIn, text: str, rent: str, memory: str
) -> None:
    message = await asked(slack, "/fit", text)
    header = message["blocks"][0]["text"]["text"]
    assert "Llama 3.3 70B" in header and "QLoRA" in header
    shown = str(message["blocks"])
    for expected in (repr(rent)[1:-1], memory, "GiB", "$", "2026-"):
        assert expected in shown


async def test_a_reader_in_indonesian_gets_indonesian_where_the_text_does_not_tell(
    slack: SlackStandIn,
) -> None:
    message = await asked(slack, "/fit", "llama-70b qlora", user="U2")
    assert "Sewa\\n" in str(message["blocks"])


async def test_an_unknown_model_gets_one_sentence_with_near_names(slack: SlackStandIn) -> None:
    message = await asked(slack, "/fit", "zzgpt-7x qlora")
    assert "zzgpt-7x" in message["text"] and "gpt2" in message["text"]
    assert len(message["blocks"]) == 1


async def test_d100_a_channel_mention_is_echoed_without_calling_anybody(
    slack: SlackStandIn,
) -> None:
    message = await asked(slack, "/fit", "<!channel> lora")
    assert message["blocks"]


@pytest.mark.parametrize("command", ["/fit", "/prices", "/help"])
async def test_a_command_without_a_text_is_answered(slack: SlackStandIn, command: str) -> None:
    assert (await asked(slack, command, ""))["blocks"]
