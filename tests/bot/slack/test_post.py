"""What Slack's answers to a digest mean."""

import json

import pytest
from aiohttp import web

from bot.digests.deliver import Absent, Later, Refused, Sent, Uncertain
from bot.slack.post import SlackSender
from tests.standins.answering import answering

PAYLOAD = json.dumps({"text": "hello", "blocks": []})


def json_of(status, body, **headers):
    return lambda request: web.json_response(body, status=status, headers=headers)


def dropped(request):
    request.transport.abort()
    return web.Response()


@pytest.mark.parametrize(
    ("answer", "meaning"),
    [
        (json_of(200, {"ok": True, "ts": "1.2"}), Sent("1.2")),
        (json_of(429, {"ok": False, "error": "ratelimited"}, **{"Retry-After": "7"}), Later(7.0)),
        (json_of(503, {}, **{"Retry-After": "9"}), Later(9.0)),
        (json_of(200, {"ok": False, "error": "fatal_error"}), Uncertain()),
        (json_of(200, {"ok": False, "error": "is_archived"}), Refused("is_archived", True)),
        (json_of(200, {"ok": False, "error": "token_revoked"}), Refused("token_revoked", True)),
        (json_of(200, {"ok": False, "error": "msg_too_long"}), Refused("msg_too_long", False)),
        (dropped, Uncertain()),
    ],
)
def test_what_an_answer_means(answer, meaning):
    with answering(answer) as url:
        assert SlackSender("xoxb-1", url + "/").send("C1", PAYLOAD, "S1:slot") == meaning


def test_nobody_there_took_nothing():
    with answering(dropped) as url:
        pass
    assert isinstance(SlackSender("xoxb-1", url + "/").send("C1", PAYLOAD, "k"), Later)


MINE = {"event_type": "muat_digest", "event_payload": {"key": "S1:slot"}}


@pytest.mark.parametrize(
    ("answer", "meaning"),
    [
        (json_of(200, {"ok": True, "messages": [{"ts": "3", "metadata": MINE}]}), Sent("3")),
        (json_of(200, {"ok": True, "messages": [{"ts": "3"}]}), Absent()),
        (json_of(200, {"ok": False, "error": "missing_scope"}), Uncertain()),
        (json_of(429, {"ok": False}, **{"Retry-After": "2"}), Later(2.0)),
    ],
)
def test_a_message_is_found_by_its_mark(answer, meaning):
    with answering(answer) as url:
        assert SlackSender("xoxb-1", url + "/").find("C1", "S1:slot", 1.0) == meaning
