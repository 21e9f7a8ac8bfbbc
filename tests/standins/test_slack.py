"""The stand-in for Slack refuses what Slack refuses, under Slack's own names."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tests.standins.slack_rules import Refused, check_message, pings

HALF_AN_HOUR = 1800.0


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def slack(clock: Clock) -> AsyncIterator[SlackStandIn]:
    async with SlackStandIn(clock=clock) as stand_in:
        yield stand_in


def client(slack: SlackStandIn, token: str | None = BOT_TOKEN) -> AsyncWebClient:
    return AsyncWebClient(token=token, base_url=slack.api_url, retry_handlers=[])


def header(text: str, kind: str = "plain_text") -> dict[str, Any]:
    return {"type": "header", "text": {"type": kind, "text": text}}


def section(text: str, kind: str = "mrkdwn") -> dict[str, Any]:
    return {"type": "section", "text": {"type": kind, "text": text}}


def context(count: int) -> dict[str, Any]:
    return {"type": "context", "elements": [{"type": "plain_text", "text": "a"}] * count}


def fields(count: int, length: int) -> dict[str, Any]:
    return {"type": "section", "fields": [{"type": "mrkdwn", "text": "a" * length}] * count}


def rich(*texts: str) -> dict[str, Any]:
    runs = [{"type": "text", "text": text} for text in texts]
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": runs}]}


@pytest.mark.parametrize(
    "blocks",
    [
        [section("a")] * 50,
        [section("a" * 3000)],
        [header("a" * 150)],
        [context(10)],
        [fields(10, 1200)],
        [fields(1, 2000)],
        [rich("a", "b")],
        [{"type": "divider"}],
    ],
)
def test_a_message_at_the_limits_is_accepted(blocks: list[dict[str, Any]]) -> None:
    check_message({"text": "a", "blocks": blocks})


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ([], "json_not_object"),
        ({}, "no_text"),
        ({"text": ""}, "no_text"),
        ({"blocks": [section("a")]}, "no_text"),
        ({"text": "a" * 40_001}, "msg_too_long"),
        ({"text": "a", "response_type": "private"}, "invalid_arguments"),
        ({"text": "a", "blocks": "["}, "invalid_blocks_format"),
        ({"text": "a", "blocks": {}}, "invalid_blocks_format"),
        ({"text": "a", "blocks": []}, "invalid_blocks"),
        ({"text": "a", "blocks": [section("a")] * 51}, "invalid_blocks"),
        ({"text": "a", "blocks": [section("a" * 3001)]}, "invalid_blocks"),
        ({"text": "a", "blocks": [section("")]}, "invalid_blocks"),
        ({"text": "a", "blocks": [{"type": "section"}]}, "invalid_blocks"),
        ({"text": "a", "blocks": [header("a" * 151)]}, "invalid_blocks"),
        ({"text": "a", "blocks": [header("a", "mrkdwn")]}, "invalid_blocks"),
        ({"text": "a", "blocks": [context(11)]}, "invalid_blocks"),
        ({"text": "a", "blocks": [context(0)]}, "invalid_blocks"),
        ({"text": "a", "blocks": [fields(11, 1)]}, "invalid_blocks"),
        ({"text": "a", "blocks": [fields(1, 2001)]}, "invalid_blocks"),
        ({"text": "a", "blocks": [rich("")]}, "invalid_blocks"),
        ({"text": "a", "blocks": [{"type": "marquee"}]}, "invalid_blocks"),
        ({"text": "a", "blocks": [{"type": "divider", "colour": "red"}]}, "invalid_blocks"),
        ({"text": "a", "blocks": [section("a" * 2800)] * 5}, "msg_blocks_too_long"),
    ],
)
def test_a_message_beyond_the_limits_is_refused(message: Any, error: str) -> None:
    with pytest.raises(Refused) as refused:
        check_message(message)
    assert refused.value.error == error


def test_a_mention_is_seen_where_slack_reads_mrkdwn_and_nowhere_else() -> None:
    loud = {"text": "<!channel>", "blocks": [section("<@U1> <!subteam^S1>")]}
    quiet = {
        "text": "&lt;!channel&gt;",
        "blocks": [section("<!here>", "plain_text"), rich("<@U1>")],
    }
    assert pings(loud) == ["<!channel>", "<@U1>", "<!subteam^S1>"]
    assert pings(quiet) == []


@pytest.mark.parametrize(("token", "error"), [(None, "not_authed"), ("xoxb-wrong", "invalid_auth")])
async def test_the_web_api_wants_the_bot_token(
    slack: SlackStandIn, token: str | None, error: str
) -> None:
    with pytest.raises(SlackApiError) as refused:
        await client(slack, token).auth_test()
    assert refused.value.response["error"] == error
    assert slack.refusals == [f"auth.test: {error}"]


@pytest.mark.parametrize(
    ("token", "error"),
    [("xapp-wrong", "invalid_auth"), (BOT_TOKEN, "not_allowed_token_type")],
)
async def test_a_socket_wants_the_app_token(slack: SlackStandIn, token: str, error: str) -> None:
    with pytest.raises(SlackApiError) as refused:
        await client(slack).apps_connections_open(app_token=token)
    assert refused.value.response["error"] == error


async def test_a_socket_token_as_a_parameter_is_an_error(slack: SlackStandIn) -> None:
    async with aiohttp.ClientSession() as session:
        url = slack.api_url + "apps.connections.open"
        async with session.post(url, data={"token": APP_TOKEN}) as response:
            assert await response.json() == {"ok": False, "error": "invalid_arguments"}


async def test_a_ticket_opens_one_socket(slack: SlackStandIn) -> None:
    opened = await client(slack).apps_connections_open(app_token=APP_TOKEN)
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(opened["url"]) as socket:
            assert (await socket.receive_json())["type"] == "hello"
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(opened["url"])


async def test_a_locale_is_told_only_when_it_is_asked_for(slack: SlackStandIn) -> None:
    asked = await client(slack).users_info(user="U2", include_locale=True)
    plain = await client(slack).users_info(user="U2")
    assert asked["user"]["locale"] == "id-ID"
    assert "locale" not in plain["user"]


async def test_a_scope_the_app_lacks_is_named(slack: SlackStandIn) -> None:
    slack.scopes.discard("users:read")
    with pytest.raises(SlackApiError) as refused:
        await client(slack).users_info(user="U1")
    assert refused.value.response["error"] == "missing_scope"


async def test_messages_reach_known_channels_only(slack: SlackStandIn) -> None:
    await client(slack).chat_postMessage(channel="C1", text="hello")
    await client(slack).chat_postEphemeral(channel="C1", user="U1", text="psst")
    with pytest.raises(SlackApiError) as refused:
        await client(slack).chat_postMessage(channel="C9", text="hello")
    assert [post["text"] for post in slack.posts] == ["hello", "psst"]
    assert refused.value.response["error"] == "channel_not_found"


async def test_a_fault_strikes_as_often_as_it_was_told_to(slack: SlackStandIn) -> None:
    slack.fault("auth.test", 429, retry_after=7)
    with pytest.raises(SlackApiError) as refused:
        await client(slack).auth_test()
    assert refused.value.response["error"] == "ratelimited"
    assert refused.value.response.headers["Retry-After"] == "7"
    assert (await client(slack).auth_test())["ok"]


async def opened_by_hand(
    slack: SlackStandIn, session: aiohttp.ClientSession
) -> aiohttp.ClientWebSocketResponse:
    opened = await client(slack).apps_connections_open(app_token=APP_TOKEN)
    socket = await session.ws_connect(opened["url"])
    await socket.receive_json()
    await slack.connected()
    return socket


async def test_an_ack_counts_once_and_only_for_what_was_sent(slack: SlackStandIn) -> None:
    async with aiohttp.ClientSession() as session, await opened_by_hand(slack, session) as socket:
        sent = await slack.slash("/fit", "llama")
        envelope = await socket.receive_json()
        assert envelope["payload"]["text"] == "llama"
        await socket.send_json({"envelope_id": envelope["envelope_id"]})
        assert await sent.acknowledged() < 3
        await socket.send_json({"envelope_id": envelope["envelope_id"]})
        await socket.send_json({"envelope_id": "nobody"})
        await slack.disconnect()
        assert (await socket.receive_json())["type"] == "disconnect"
    await slack.closed()
    assert [refusal.split()[1] for refusal in slack.refusals] == [
        "already_acknowledged",
        "invalid_ack",
    ]


async def test_a_response_url_wears_out_after_five_uses_and_half_an_hour(
    slack: SlackStandIn, clock: Clock
) -> None:
    async with aiohttp.ClientSession() as session, await opened_by_hand(slack, session):
        used = AsyncWebhookClient((await slack.slash("/fit", "")).response_url)
        old = AsyncWebhookClient((await slack.slash("/fit", "")).response_url)
    statuses = [(await used.send(text="hello")).status_code for _ in range(6)]
    assert statuses == [200] * 5 + [404]
    clock.now = HALF_AN_HOUR
    assert (await old.send(text="in time")).status_code == 200
    clock.now = HALF_AN_HOUR + 1
    assert (await old.send(text="too late")).status_code == 404
    assert slack.refusals == ["response_url: used_url", "response_url: expired_url"]


async def test_a_response_url_wants_json_within_the_limits(slack: SlackStandIn) -> None:
    async with aiohttp.ClientSession() as session, await opened_by_hand(slack, session):
        sent = await slack.slash("/fit", "")
        async with session.post(sent.response_url, data="{") as response:
            assert (response.status, (await response.json())["error"]) == (400, "invalid_payload")
        async with session.post(sent.response_url, json={"text": "a", "blocks": [{}]}) as response:
            assert (response.status, (await response.json())["error"]) == (400, "invalid_blocks")
        assert sent.messages == []


async def test_a_command_without_an_ack_times_out(
    slack: SlackStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.standins.slack.ACK_SECONDS", 0.0)
    async with aiohttp.ClientSession() as session, await opened_by_hand(slack, session):
        sent = await slack.slash("/fit", "llama")
        with pytest.raises(TimeoutError):
            await sent.acknowledged()
    assert slack.refusals == [f"socket: operation_timeout {sent.envelope_id}"]
