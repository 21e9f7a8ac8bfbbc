"""An answer reaches its response URL through rate limits and hiccups; no URL reaches the log."""

import logging
from collections.abc import AsyncIterator

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.delivery import deliver
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn, SlashCommand


@pytest.fixture
async def sent(slack: SlackStandIn) -> AsyncIterator[SlashCommand]:
    """A command that somebody typed."""
    client = AsyncWebClient(token=BOT_TOKEN, base_url=slack.api_url)
    opened = await client.apps_connections_open(app_token=APP_TOKEN)
    async with aiohttp.ClientSession() as session, session.ws_connect(opened["url"]):
        await slack.connected()
        yield await slack.slash("/fit", "llama-70b")


async def test_an_answer_is_for_the_asker_alone(slack: SlackStandIn, sent: SlashCommand) -> None:
    assert await deliver(sent.response_url, {"text": "hello"})
    assert sent.messages == [
        {"text": "hello", "response_type": "ephemeral", "replace_original": False}
    ]
    assert slack.refusals == []


async def test_d094_a_rate_limit_is_waited_out_and_nothing_is_lost_or_doubled(
    slack: SlackStandIn, sent: SlashCommand, slept: list[float]
) -> None:
    slack.fault("response_url", 429, retry_after=30, times=2)
    assert await deliver(sent.response_url, {"text": "hello"})
    assert len(sent.messages) == 1
    assert len(slept) == 2 and all(30 <= seconds < 32 for seconds in slept)


async def test_a_server_error_is_tried_again(
    slack: SlackStandIn, sent: SlashCommand, slept: list[float]
) -> None:
    slack.fault("response_url", 503)
    assert await deliver(sent.response_url, {"text": "hello"})
    assert len(sent.messages) == 1 and len(slept) == 1


async def test_a_refusal_is_told_and_logged_by_its_name(
    sent: SlashCommand, caplog: pytest.LogCaptureFixture
) -> None:
    assert not await deliver(sent.response_url, {"text": "hello", "blocks": [{"type": "marquee"}]})
    assert "invalid_blocks" in caplog.text


async def test_a_slack_that_is_gone_is_logged(
    caplog: pytest.LogCaptureFixture, slept: list[float]
) -> None:
    gone = "http://127.0.0.1:9/commands/T1/1/secret"
    assert not await deliver(gone, {"text": "hello"})
    assert "could not be delivered" in caplog.text and "secret" not in caplog.text


async def test_no_response_url_is_logged_at_any_level(
    slack: SlackStandIn, sent: SlashCommand, caplog: pytest.LogCaptureFixture, slept: list[float]
) -> None:
    caplog.set_level(logging.DEBUG)
    slack.fault("response_url", 429)
    await deliver(sent.response_url, {"text": "hello"})
    await deliver(sent.response_url, {"text": ""})
    assert "refused an answer" in caplog.text
    assert sent.response_url not in caplog.text
