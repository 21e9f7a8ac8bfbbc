"""Muat in Slack: slack-bolt's AsyncApp, connected over Socket Mode."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

import aiohttp
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
)
from slack_sdk.web.async_client import AsyncWebClient

from bot.redaction import redact_all_logs
from bot.slack.answers import Answers
from bot.slack.listeners import DRAIN_SECONDS, Listeners
from bot.slack.socket import until_lost
from planner.errors import BadInput

BOT_TOKEN = "MUAT_SLACK_BOT_TOKEN"  # noqa: S105 - the setting's name, not a token
APP_TOKEN = "MUAT_SLACK_APP_TOKEN"  # noqa: S105 - the setting's name, not a token
TIMEOUT_SECONDS = 10
TOKEN_ERRORS = {
    "account_inactive",
    "invalid_auth",
    "not_allowed_token_type",
    "not_authed",
    "token_expired",
    "token_revoked",
}

log = logging.getLogger(__name__)


async def serve(
    *, bot_token: str | None, app_token: str | None, answers: Answers, api_url: str | None = None
) -> None:
    """Answers Slack until cancelled, then finishes the answers under way.

    A missing or refused token is BadInput naming the setting, a connection that does not come back
    SocketLost. `api_url` is Slack's own where None.
    """
    tokens = {BOT_TOKEN: bot_token, APP_TOKEN: app_token}
    missing = tuple(name for name, token in tokens.items() if not token)
    if not bot_token or not app_token:
        raise BadInput("slack.missing_token", settings=missing)
    redact_all_logs()
    async with connected(
        bot_token=bot_token, app_token=app_token, answers=answers, api_url=api_url
    ) as handler:
        log.info("connected to Slack")
        await until_lost(handler.client, monotonic)


@asynccontextmanager
async def connected(
    *, bot_token: str, app_token: str, answers: Answers, api_url: str | None = None
) -> AsyncIterator[AsyncSocketModeHandler]:
    """Muat listening to Slack for as long as the block runs."""
    listeners = Listeners(answers)
    app = build_app(bot_token=bot_token, listeners=listeners, api_url=api_url)
    handler = AsyncSocketModeHandler(app, app_token, ping_interval=5)
    handler.client.message_listeners.append(_warn_of_company)
    try:
        await _check_bot_token(app.client, bot_token)
        await _open_socket(handler)
        yield handler
    finally:
        await handler.close_async()  # type: ignore[no-untyped-call]  # the SDK's gap
        await listeners.drain(DRAIN_SECONDS)


def build_app(
    *,
    bot_token: str,
    listeners: Listeners,
    api_url: str | None = None,
    signing_secret: str | None = None,
) -> AsyncApp:
    """The Bolt app of one workspace. It asks Slack nothing before it has acknowledged a command.

    With a `signing_secret` it takes signed requests over HTTP (bot.slack.http).
    """

    async def authorize(enterprise_id: str | None, team_id: str | None) -> AuthorizeResult:
        return AuthorizeResult(enterprise_id=enterprise_id, team_id=team_id, bot_token=bot_token)

    client = AsyncWebClient(
        base_url=api_url or AsyncWebClient.BASE_URL,
        timeout=TIMEOUT_SECONDS,
        retry_handlers=[
            AsyncConnectionErrorRetryHandler(),
            AsyncRateLimitErrorRetryHandler(max_retry_count=3),
        ],
    )
    app = AsyncApp(
        name="muat", logger=log, client=client, authorize=authorize, signing_secret=signing_secret
    )
    listeners.register(app)
    return app


async def _warn_of_company(_: object, message: dict[str, Any], __: str | None = None) -> None:
    """Say it where another process is connected with the same token: Slack deals the questions out
    among them.
    """
    if message.get("type") == "hello" and int(message.get("num_connections") or 1) > 1:
        log.warning("another process is connected to Slack with the same app token")


async def _check_bot_token(client: AsyncWebClient, bot_token: str) -> None:
    try:
        await client.auth_test(token=bot_token)
    except SlackApiError as error:
        if _reason(error) in TOKEN_ERRORS:
            raise _refused(BOT_TOKEN, error) from None
        log.warning("Slack did not check the bot token (%s)", _reason(error))
    except (aiohttp.ClientError, TimeoutError) as error:
        raise BadInput(
            "slack.unreachable", url=client.base_url, reason=type(error).__name__
        ) from None


async def _open_socket(handler: AsyncSocketModeHandler) -> None:
    """Connects. The first URL is asked for here: the SDK would retry a refused token for ever."""
    try:
        handler.client.wss_uri = await handler.client.issue_new_wss_url()
    except SlackApiError as error:
        raise _refused(APP_TOKEN, error) from None
    await handler.connect_async()  # type: ignore[no-untyped-call]  # the SDK's gap


def _refused(setting: str, error: SlackApiError) -> BadInput:
    return BadInput("slack.token_refused", setting=setting, reason=_reason(error))


def _reason(error: SlackApiError) -> str:
    """Slack's own name for what is wrong."""
    try:
        return str(error.response["error"])
    except (KeyError, TypeError, ValueError):
        return type(error).__name__
