"""A reader's language is a hint from Slack, remembered, and never worth waiting for."""

from typing import Protocol

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.locale import KNOWN_FOR_SECONDS, UNKNOWN_FOR_SECONDS, Locales
from planner.query import Language
from tests.standins.slack import BOT_TOKEN, SlackStandIn


class Clock(Protocol):
    now: float

    def __call__(self) -> float: ...


@pytest.fixture
def client(slack: SlackStandIn) -> AsyncWebClient:
    return AsyncWebClient(token=BOT_TOKEN, base_url=slack.api_url)


@pytest.mark.parametrize(
    ("locale", "language"), [("id-ID", "id"), ("en-US", "en"), ("de-DE", "en"), ("", None)]
)
async def test_a_locale_becomes_a_language(
    slack: SlackStandIn, client: AsyncWebClient, locale: str, language: Language | None
) -> None:
    slack.locales["U7"] = locale
    assert await Locales().language_of(client, "T1", "U7") == language


async def test_slack_is_asked_once_an_hour_for_each_person(
    slack: SlackStandIn, client: AsyncWebClient, clock: Clock
) -> None:
    locales = Locales(clock)
    for user, language in (("U1", "en"), ("U2", "id"), ("U1", "en"), ("U2", "id")):
        assert await locales.language_of(client, "T1", user) == language
    assert slack.calls["users.info"] == 2
    clock.now = KNOWN_FOR_SECONDS
    slack.locales["U1"] = "id-ID"
    assert await locales.language_of(client, "T1", "U1") == "id"


async def test_a_refusal_is_remembered_for_a_shorter_while(
    slack: SlackStandIn, client: AsyncWebClient, clock: Clock
) -> None:
    locales = Locales(clock)
    slack.scopes.discard("users:read")
    assert await locales.language_of(client, "T1", "U2") is None
    slack.scopes.add("users:read")
    assert await locales.language_of(client, "T1", "U2") is None
    clock.now = UNKNOWN_FOR_SECONDS
    assert await locales.language_of(client, "T1", "U2") == "id"


async def test_a_slack_that_does_not_answer_is_not_waited_for(
    slack: SlackStandIn, client: AsyncWebClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.locale.PATIENCE_SECONDS", 0.01)
    slack.hold("users.info")
    assert await Locales().language_of(client, "T1", "U2") is None


async def test_a_slack_that_is_not_there_costs_only_the_hint() -> None:
    client = AsyncWebClient(token=BOT_TOKEN, base_url="http://127.0.0.1:9/", retry_handlers=[])
    assert await Locales().language_of(client, "T1", "U2") is None


async def test_old_readers_make_room_for_new_ones(
    slack: SlackStandIn, client: AsyncWebClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slack.locale.MOST_REMEMBERED", 1)
    locales = Locales()
    for user in ("U1", "U2", "U1"):
        await locales.language_of(client, "T1", user)
    assert slack.calls["users.info"] == 3
