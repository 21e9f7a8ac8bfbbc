"""Questions in a Slack channel that nobody asks Muat: opt-in, threads, few, votes, silence."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.desk import Desk
from bot.slack.app import connected
from bot.store.engine import Store
from bot.store.unasked import MOST_PER_HOUR, tallies
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tests.standins.slack_answers import NOW, answers_of, empty_store
from tests.standins.slack_people import buttons, press, speak

QUESTIONS = {
    "en": "does a spot instance make sense for a long training run?",
    "id": "checkpoint sebaiknya disimpan tiap berapa menit?",
}
QUIET = ["lunch anyone?", "thanks!", "the build is broken again", "who won the match?"]


@pytest.fixture
def store() -> Store:
    return empty_store()


@pytest.fixture
async def slack(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[SlackStandIn]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    desk = Desk(None, 1 / 16667, lambda: NOW)
    async with (
        SlackStandIn() as stand_in,
        connected(
            bot_token=BOT_TOKEN,
            app_token=APP_TOKEN,
            answers=answers_of(desk, store),
            api_url=stand_in.api_url,
        ),
    ):
        await stand_in.connected()
        yield stand_in
        assert stand_in.refusals == [] and stand_in.pings == []


async def opt_in(slack: SlackStandIn, user: str = "U1", value: str = "yes") -> str:
    sent = await slack.slash("/muat", f"settings unasked={value}", user=user)
    text: str = (await sent.answer())["text"]
    return text


async def say(slack: SlackStandIn, text: str, event_id: str, **event: Any) -> None:
    """Somebody says something in the channel, to nobody in particular."""
    sent = await speak(slack, text, event_id=event_id, mentions=False, **event)
    assert await sent.acknowledged() < 3


async def nothing_more_than(slack: SlackStandIn, count: int) -> None:
    """A mention is answered after everything that was said before it."""
    await speak(slack, "llama-8b qlora", event_id="EvLast")
    await slack.post(count + 1)
    assert len(slack.posts) == count + 1


async def test_without_opt_in_a_channel_is_left_alone(slack: SlackStandIn) -> None:
    await say(slack, QUESTIONS["en"], "Ev1")
    await nothing_more_than(slack, 0)


async def test_only_administrators_opt_in(slack: SlackStandIn) -> None:
    assert "administrator" in await opt_in(slack, user="U2")
    await say(slack, QUESTIONS["en"], "Ev1")
    await nothing_more_than(slack, 0)


@pytest.mark.parametrize("language", ["en", "id"])
async def test_a_question_is_answered_in_its_thread_and_votes_are_kept(
    slack: SlackStandIn, store: Store, language: str
) -> None:
    assert "unasked" in await opt_in(slack)
    await say(slack, QUESTIONS[language], "Ev1", ts="1796083200.000100")
    post = await slack.post()
    assert post["thread_ts"] == "1796083200.000100"
    assert set(buttons(post)) == {"helpful", "unhelpful"}
    for user, action in (("U1", "helpful"), ("U2", "unhelpful"), ("U2", "helpful")):
        sent = await press(slack, post, action, user=user)
        assert (await sent.answer())["text"]
    ((_, answers, helped, did_not),) = tallies(store, "slack", "T1")
    assert (answers, helped, did_not) == (1, 2, 0)


async def test_what_is_no_question_for_muat_is_left_alone(slack: SlackStandIn) -> None:
    await opt_in(slack)
    for number, text in enumerate(QUIET):
        await say(slack, text, f"Ev{number}", ts=f"1796083{number}.0001")
    await nothing_more_than(slack, 0)


async def test_a_thread_is_answered_once_and_an_hour_has_its_share(slack: SlackStandIn) -> None:
    await opt_in(slack)
    await say(slack, QUESTIONS["en"], "Ev1", ts="1.1")
    await slack.post()
    await say(slack, QUESTIONS["en"], "Ev2", ts="1.2", thread_ts="1.1")
    for number in range(MOST_PER_HOUR + 3):
        await say(slack, QUESTIONS["en"], f"EvN{number}", ts=f"2.{number}")
    await slack.post(MOST_PER_HOUR)
    await nothing_more_than(slack, MOST_PER_HOUR)


async def test_opting_out_ends_it(slack: SlackStandIn) -> None:
    await opt_in(slack)
    await opt_in(slack, value="no")
    await say(slack, QUESTIONS["en"], "Ev1")
    await nothing_more_than(slack, 0)
