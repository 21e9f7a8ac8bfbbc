"""Digests into Slack channels, over the Web API alone."""

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.digests.deliver import Absent, Answer, Later, Refused, Sent, Uncertain

#: Slack's names for a channel or token that takes no later message either.
FOR_EVER = frozenset({
    "account_inactive", "channel_not_found", "invalid_auth", "is_archived", "missing_scope",
    "not_authed", "not_in_channel", "restricted_action", "team_access_not_granted",
    "token_expired", "token_revoked",
})  # fmt: skip
#: What the metadata of a digest's message is called.
EVENT = "muat_digest"
SECONDS = 30
_DEFAULT_DELAY = 5.0
#: How far Slack's clock and ours may lie apart.
_SKEW_SECONDS = 600.0
_PAGES = 5


class SlackSender:
    """Posts as the bot that `token` belongs to."""

    def __init__(self, token: str, api_url: str | None) -> None:
        self._client = AsyncWebClient(
            token, base_url=api_url or AsyncWebClient.BASE_URL, timeout=SECONDS, retry_handlers=[]
        )

    def send(self, channel: str, payload: str, key: str) -> Answer:
        """Post `payload` ({"text", "blocks"}), marked with `key` in its metadata."""
        metadata = {"event_type": EVENT, "event_payload": {"key": key}}
        try:
            answer = asyncio.run(
                self._client.chat_postMessage(
                    channel=channel, metadata=metadata, unfurl_links=False, **json.loads(payload)
                )
            )
        except SlackApiError as error:
            return _meaning(error)
        except aiohttp.ClientConnectorError:
            return Later(_DEFAULT_DELAY)
        except (aiohttp.ClientError, TimeoutError):
            return Uncertain()
        return Sent(str(answer["ts"]))

    def find(self, channel: str, key: str, seconds: float) -> Sent | Absent | Uncertain | Later:
        """The message marked `key` in the channel's history; Uncertain where it is not granted."""
        oldest = datetime.now(UTC).timestamp() - seconds - _SKEW_SECONDS
        cursor = ""
        try:
            for _ in range(_PAGES):
                page = asyncio.run(
                    self._client.conversations_history(
                        channel=channel,
                        oldest=str(oldest),
                        include_all_metadata=True,
                        limit=200,
                        cursor=cursor or None,
                    )
                )
                for message in page["messages"]:
                    if _key(message) == key:
                        return Sent(str(message["ts"]))
                cursor = (page.get("response_metadata") or {}).get("next_cursor", "")
                if not cursor:
                    return Absent()
        except SlackApiError as error:
            meaning = _meaning(error)
            return meaning if isinstance(meaning, Later) else Uncertain()
        except (aiohttp.ClientError, TimeoutError):
            return Later(_DEFAULT_DELAY)
        return Uncertain()

    def tell(self, person: str, text: str) -> None:
        """Write to `person` in the bot's direct messages, once."""
        try:
            asyncio.run(self._client.chat_postMessage(channel=person, text=text))
        except (SlackApiError, aiohttp.ClientError, TimeoutError):
            return


def _key(message: Mapping[str, Any]) -> object:
    metadata = message.get("metadata") or {}
    if metadata.get("event_type") != EVENT:
        return None
    return metadata.get("event_payload", {}).get("key")


def _meaning(error: SlackApiError) -> Answer:
    response = error.response
    code = str(response.get("error", ""))
    if code == "fatal_error":
        return Uncertain()
    if response.status_code == 429 or response.status_code >= 500 or code == "internal_error":
        return Later(_delay(response.headers))
    return Refused(code, code in FOR_EVER)


def _delay(headers: Mapping[str, str]) -> float:
    given = {name.lower(): value for name, value in headers.items()}.get("retry-after", "")
    return float(given) if given.isdigit() else _DEFAULT_DELAY
