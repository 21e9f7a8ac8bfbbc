"""Digests into Discord channels, over REST alone: the gateway's client has no part in it."""

import asyncio
import hashlib
import json
from typing import Any, NamedTuple

import aiohttp

from bot.digests.deliver import Absent, Answer, Later, Refused, Sent, Uncertain
from bot.discord.components import view_from

API_URL = "https://discord.com/api/v10"
#: How long Discord is relied on to know a nonce again; it promises "a few minutes".
NONCE_SECONDS = 120.0
COMPONENTS_V2 = 1 << 15
SECONDS = 30
_DEFAULT_DELAY = 5.0


class _Reply(NamedTuple):
    status: int
    body: Any
    retry_after: str


class DiscordSender:
    """Posts as the bot that `token` belongs to."""

    def __init__(self, token: str, api_url: str | None) -> None:
        self._headers = {"Authorization": f"Bot {token}"}
        self._url = (api_url or API_URL).rstrip("/")

    def send(self, channel: str, payload: str, key: str) -> Answer:
        """Post `payload`, a tree of bot.discord.components; Discord takes its nonce once."""
        return asyncio.run(self._send(channel, json.loads(payload), key))

    def find(self, channel: str, key: str, seconds: float) -> Absent | Uncertain:
        """Absent while Discord knows the nonce: sent again, it answers with the first message."""
        return Absent() if seconds < NONCE_SECONDS else Uncertain()

    def tell(self, person: str, text: str) -> None:
        """Write to `person` in the bot's direct messages, once."""
        asyncio.run(self._tell(person, text))

    async def _send(self, channel: str, tree: dict[str, Any], key: str) -> Answer:
        body = {
            "components": view_from(tree).to_components(),  # type: ignore[no-untyped-call]
            "flags": COMPONENTS_V2,
            "nonce": hashlib.sha256(key.encode()).hexdigest()[:25],
            "enforce_nonce": True,
            "allowed_mentions": {"parse": []},
        }
        try:
            reply = await self._post(f"/channels/{channel}/messages", body)
        except aiohttp.ClientConnectorError:
            return Later(_DEFAULT_DELAY)
        except (aiohttp.ClientError, TimeoutError):
            return Uncertain()
        return _meaning(reply)

    async def _tell(self, person: str, text: str) -> None:
        try:
            opened = await self._post("/users/@me/channels", {"recipient_id": person})
            if opened.status < 300:
                await self._post(
                    f"/channels/{opened.body['id']}/messages",
                    {"content": text, "allowed_mentions": {"parse": []}},
                )
        except (aiohttp.ClientError, TimeoutError):
            return

    async def _post(self, path: str, body: dict[str, Any]) -> _Reply:
        timeout = aiohttp.ClientTimeout(total=SECONDS)
        async with (
            aiohttp.ClientSession(headers=self._headers, timeout=timeout) as session,
            session.post(self._url + path, json=body) as response,
        ):
            text = await response.text()
            try:
                said = json.loads(text)
            except ValueError:
                said = {}
            return _Reply(response.status, said, response.headers.get("Retry-After", ""))


def _meaning(reply: _Reply) -> Answer:
    body = reply.body if isinstance(reply.body, dict) else {}
    if reply.status == 429 or reply.status >= 500:
        return Later(_delay(body.get("retry_after", reply.retry_after)))
    if reply.status >= 400:
        code = f"discord_{body.get('code', reply.status)}"
        return Refused(code, reply.status in (401, 403, 404))
    return Sent(str(body.get("id", "")))


def _delay(given: object) -> float:
    try:
        return float(str(given))
    except ValueError:
        return _DEFAULT_DELAY
