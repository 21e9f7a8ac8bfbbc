"""Which language somebody uses Slack in. Only a hint: an answer never fails or waits for it."""

import asyncio
import logging
from collections.abc import Callable
from time import monotonic

import aiohttp
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from planner.query import Language

PATIENCE_SECONDS = 1.0
KNOWN_FOR_SECONDS = 3600.0
UNKNOWN_FOR_SECONDS = 300.0
MOST_REMEMBERED = 10_000

log = logging.getLogger(__name__)


class Locales:
    """Remembers each person's language, and for a shorter while that Slack would not tell."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._known: dict[tuple[str, str], tuple[Language | None, float]] = {}

    async def language_of(
        self, client: AsyncWebClient, team_id: str, user_id: str
    ) -> Language | None:
        """The person's language, None where Slack does not say within a second."""
        known, until = self._known.get((team_id, user_id), (None, 0.0))
        if self._clock() < until:
            return known
        language = await _ask(client, user_id)
        kept_for = KNOWN_FOR_SECONDS if language else UNKNOWN_FOR_SECONDS
        if len(self._known) >= MOST_REMEMBERED:
            self._known.pop(next(iter(self._known)))
        self._known[team_id, user_id] = (language, self._clock() + kept_for)
        return language


async def _ask(client: AsyncWebClient, user_id: str) -> Language | None:
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            response = await client.users_info(user=user_id, include_locale=True)
    except (SlackClientError, aiohttp.ClientError, TimeoutError) as error:
        log.info("Slack did not tell a reader's language (%s)", type(error).__name__)
        return None
    user = response.get("user") or {}
    locale = str(user.get("locale") or "")
    if not locale:
        return None
    return "id" if locale.lower().startswith("id") else "en"
