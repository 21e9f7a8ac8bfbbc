"""Slack over HTTP: signed requests are answered, forged, old and replayed ones are not."""

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
        add_routes(app, bolt)
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
