"""Slack over HTTP: signed requests are answered, forged, old and replayed ones are not."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from time import time
from urllib.parse import urlencode

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from bot.slack.app import build_app
from bot.slack.http import PATH, add_routes
from bot.slack.listeners import Listeners
from tests.scenarios.test_slack_conversations import SlowDesk
from tests.standins.slack import BOT_TOKEN, SlackStandIn
from tests.standins.slack_answers import answers_of

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"  # a made-up one, as long as Slack's


class NoDesk:
    async def answer(self, text: str, *, language: object) -> None:
        raise AssertionError(f"asked for {text}")


@pytest.fixture
async def client() -> AsyncIterator[TestClient]:
    async with SlackStandIn() as slack:
        listeners = Listeners(answers_of(NoDesk()))
        bolt = build_app(
            bot_token=BOT_TOKEN,
            listeners=listeners,
            api_url=slack.api_url,
            signing_secret=SECRET,
        )
        app = web.Application()
        add_routes(app, bolt, listeners)
        async with TestClient(TestServer(app)) as found:
            yield found


def signed(body: str, at: float, secret: str = SECRET) -> dict[str, str]:
    base = f"v0:{int(at)}:{body}"
    digest = hmac.new(secret.encode(), base.encode(), hashlib.sha256).hexdigest()
    return {
        "X-Slack-Request-Timestamp": str(int(at)),
        "X-Slack-Signature": f"v0={digest}",
        "Content-Type": "application/x-www-form-urlencoded",
    }


CHALLENGE = json.dumps({"type": "url_verification", "challenge": "yes", "token": "t"})
PRESS = urlencode({"payload": json.dumps({"type": "message_action", "callback_id": "other"})})


async def test_slacks_first_question_is_answered(client: TestClient) -> None:
    headers = signed(CHALLENGE, time()) | {"Content-Type": "application/json"}
    answer = await client.post(PATH, data=CHALLENGE, headers=headers)
    assert answer.status == 200 and "yes" in await answer.text()


@pytest.mark.parametrize(
    ("secret", "age_s"),
    [("another secret of the same sort, 32", 0), (SECRET, 600), (SECRET, -600)],
)
async def test_d132_forged_old_and_future_signatures_are_refused(
    client: TestClient, secret: str, age_s: int, caplog: pytest.LogCaptureFixture
) -> None:
    """D132: a captured request sent again ten minutes later; D101: a clock that is off is named."""
    answer = await client.post(PATH, data=PRESS, headers=signed(PRESS, time() - age_s, secret))
    assert answer.status == 401
    assert ("clock skew" in caplog.text) == bool(age_s)
    assert SECRET not in caplog.text and secret not in caplog.text


async def test_a_request_without_a_signature_is_refused(client: TestClient) -> None:
    assert (await client.post(PATH, data=PRESS)).status == 401


async def test_answers_under_way_are_given_before_the_process_ends() -> None:
    """What Slack was told is taken is answered, though the process is told to end meanwhile."""
    desk, posted = SlowDesk(), []
    desk.open.clear()

    async def take(request: web.Request) -> web.Response:
        posted.append(await request.text())
        return web.Response(text="ok")

    people = web.Application()
    people.router.add_post("/answers", take)
    async with SlackStandIn() as slack, TestServer(people) as here:
        listeners = Listeners(answers_of(desk))
        bolt = build_app(
            bot_token=BOT_TOKEN, listeners=listeners, api_url=slack.api_url, signing_secret=SECRET
        )
        app = web.Application()
        add_routes(app, bolt, listeners)
        async with TestClient(TestServer(app)) as client:
            body = urlencode(
                {
                    "command": "/fit",
                    "text": "llama-8b qlora",
                    "team_id": "T1",
                    "channel_id": "C1",
                    "user_id": "U1",
                    "trigger_id": "1.2.3",
                    "response_url": str(here.make_url("/answers")),
                }
            )
            answer = await client.post(PATH, data=body, headers=signed(body, time()))
            assert answer.status == 200 and posted == []
            asyncio.get_running_loop().call_soon(desk.open.set)  # when the stop is under way
    assert len(posted) == 1 and "Llama" in posted[0]
