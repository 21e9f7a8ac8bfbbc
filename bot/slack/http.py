"""Slack over HTTP: one signed address for commands, events and interactivity."""

import logging
from collections.abc import Callable
from time import time

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp

from bot.slack.listeners import DRAIN_SECONDS, Listeners

PATH = "/slack/events"
#: Bolt refuses what was signed longer ago.
OLDEST_SECONDS = 300

log = logging.getLogger(__name__)


def add_routes(
    app: web.Application, bolt: AsyncApp, listeners: Listeners, clock: Callable[[], float] = time
) -> None:
    """Let `app` take what Slack posts; Bolt refuses what is not signed, or signed long ago.

    When `app` ends, the answers of `listeners` under way are finished.
    """

    async def from_slack(request: web.Request) -> web.Response:
        answer = await bolt.async_dispatch(await to_bolt_request(request))
        if answer.status == 401:
            _tell_why(request.headers.get("X-Slack-Request-Timestamp", ""), clock())
        response: web.Response = await to_aiohttp_response(answer)
        return response

    async def finish(_: web.Application) -> None:
        await listeners.drain(DRAIN_SECONDS)

    app.router.add_post(PATH, from_slack)
    app.on_cleanup.append(finish)


def _tell_why(signed_at: str, now: float) -> None:
    """Log why a request was refused: a clock that is off refuses everything."""
    if signed_at.isdigit() and abs(now - int(signed_at)) > OLDEST_SECONDS:
        log.warning(
            "refused a request that was signed %d s away from this machine's clock: an old one "
            "sent again, or clock skew",
            round(now - int(signed_at)),
        )
    else:
        log.warning("refused a request whose signature is not Slack's")
