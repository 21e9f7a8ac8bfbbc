"""What Discord's answers to a digest mean, and that its nonce is the slot's."""

import json

import pytest
from aiohttp import web

from bot.digests.deliver import Absent, Later, Refused, Sent, Uncertain
from bot.discord.post import NONCE_SECONDS, DiscordSender
from tests.bot.slack.test_post import dropped, json_of
from tests.standins.answering import answering

PAYLOAD = json.dumps(
    {
        "type": "container",
        "tone": "neutral",
        "components": [{"type": "text_display", "content": "hello"}],
    }
)


@pytest.mark.parametrize(
    ("answer", "meaning"),
    [
        (json_of(200, {"id": "5"}), Sent("5")),
        (json_of(429, {"retry_after": 1.5}), Later(1.5)),
        (json_of(502, {}, **{"Retry-After": "4"}), Later(4.0)),
        (json_of(403, {"code": 50001}), Refused("discord_50001", True)),
        (json_of(400, {"code": 50035}), Refused("discord_50035", False)),
        (dropped, Uncertain()),
    ],
)
def test_what_an_answer_means(answer, meaning):
    with answering(answer) as url:
        assert DiscordSender("token", url).send("7", PAYLOAD, "S1:slot") == meaning


def test_a_slot_has_one_nonce_that_discord_enforces():
    bodies = []

    async def keep(request):
        bodies.append(await request.json())
        return web.json_response({"id": "5"})

    with answering(keep) as url:
        for key in ("S1:a", "S1:a", "S1:b"):
            DiscordSender("token", url).send("7", PAYLOAD, key)
    first, again, other = (body["nonce"] for body in bodies)
    assert first == again != other
    assert len(first) <= 25
    assert all(body["enforce_nonce"] for body in bodies)


def test_a_nonce_is_relied_on_for_minutes_only():
    sender = DiscordSender("token", None)
    assert sender.find("7", "S1:a", 10.0) == Absent()
    assert sender.find("7", "S1:a", NONCE_SECONDS) == Uncertain()
