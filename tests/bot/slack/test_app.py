"""Starting up: what is missing or refused is named in one sentence, before any socket opens."""

import asyncio

import pytest

from bot.language import LANGUAGES, words
from bot.slack.answers import Answer
from bot.slack.app import APP_TOKEN as APP_SETTING
from bot.slack.app import BOT_TOKEN as BOT_SETTING
from bot.slack.app import connected, serve
from planner.errors import BadInput
from planner.query import Language
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tests.standins.slack_answers import answers_of


class NobodyAtTheDesk:
    async def answer(self, text: str, *, language: Language | None) -> Answer:
        raise AssertionError("nothing was asked")


async def refusal(
    bot_token: str | None, app_token: str | None, api_url: str | None = None
) -> BadInput:
    with pytest.raises(BadInput) as refused:
        await serve(
            bot_token=bot_token,
            app_token=app_token,
            answers=answers_of(NobodyAtTheDesk()),
            api_url=api_url,
        )
    return refused.value


@pytest.mark.parametrize(
    ("bot_token", "app_token", "missing"),
    [
        (None, None, (BOT_SETTING, APP_SETTING)),
        ("", APP_TOKEN, (BOT_SETTING,)),
        (BOT_TOKEN, None, (APP_SETTING,)),
    ],
)
async def test_missing_tokens_are_named_one_by_one(
    bot_token: str | None, app_token: str | None, missing: tuple[str, ...]
) -> None:
    note = (await refusal(bot_token, app_token)).note
    assert note.code == "slack.missing_token" and note.values["settings"] == missing
    for language in LANGUAGES:
        assert all(setting in words(language).say(note) for setting in missing)


@pytest.mark.parametrize(
    ("bot_token", "app_token", "setting", "reason"),
    [
        ("xoxb-wrong", APP_TOKEN, BOT_SETTING, "invalid_auth"),
        (BOT_TOKEN, "xapp-wrong", APP_SETTING, "invalid_auth"),
        (BOT_TOKEN, BOT_TOKEN, APP_SETTING, "not_allowed_token_type"),
    ],
)
async def test_a_refused_token_is_named_with_slacks_reason(
    slack: SlackStandIn, bot_token: str, app_token: str, setting: str, reason: str
) -> None:
    note = (await refusal(bot_token, app_token, slack.api_url)).note
    assert note.code == "slack.token_refused"
    assert note.values == {"setting": setting, "reason": reason}
    assert slack.calls["socket"] == 0


async def test_a_slack_that_cannot_be_reached_is_said(slept: list[float]) -> None:
    note = (await refusal(BOT_TOKEN, APP_TOKEN, "http://127.0.0.1:9/api/")).note
    assert note.code == "slack.unreachable"
    assert note.values["url"] == "http://127.0.0.1:9/api/"


async def test_it_serves_until_it_is_cancelled(slack: SlackStandIn) -> None:
    serving = asyncio.create_task(
        serve(
            bot_token=BOT_TOKEN,
            app_token=APP_TOKEN,
            answers=answers_of(NobodyAtTheDesk()),
            api_url=slack.api_url,
        )
    )
    await slack.connected()
    assert not serving.done()
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    await slack.closed()
    assert slack.refusals == []


async def test_a_slack_without_auth_test_is_served_all_the_same(
    slack: SlackStandIn, slept: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    slack.fault("auth.test", 500)
    async with connected(
        bot_token=BOT_TOKEN,
        app_token=APP_TOKEN,
        answers=answers_of(NobodyAtTheDesk()),
        api_url=slack.api_url,
    ):
        await slack.connected()
    assert "did not check the bot token" in caplog.text
