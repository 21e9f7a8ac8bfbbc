"""Sends a message to the response URL that came with a command.

Bolt's own `respond` retries nothing; here a 429 is waited out and one server error is tried again.
"""

import logging
from typing import Any

import aiohttp
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
    AsyncServerErrorRetryHandler,
)
from slack_sdk.webhook.async_client import AsyncWebhookClient

TIMEOUT_SECONDS = 10

log = logging.getLogger(__name__)
sdk_log = logging.getLogger(f"{__name__}.sdk")
sdk_log.setLevel(logging.WARNING)  # below that the SDK writes whole response URLs


async def deliver(response_url: str, message: dict[str, Any]) -> bool:
    """Posts `message` for the asker alone; False, with a log line, where Slack did not take it."""
    webhook = AsyncWebhookClient(
        url=response_url,
        timeout=TIMEOUT_SECONDS,
        logger=sdk_log,
        retry_handlers=[
            AsyncConnectionErrorRetryHandler(),
            AsyncServerErrorRetryHandler(),
            AsyncRateLimitErrorRetryHandler(max_retry_count=3),
        ],
    )
    body = {"response_type": "ephemeral", "replace_original": False, **message}
    try:
        response = await webhook.send_dict(body)
    except (aiohttp.ClientError, TimeoutError) as error:
        log.error("an answer could not be delivered to Slack (%s)", type(error).__name__)
        return False
    if response.status_code != 200:
        reason = response.body[:200]
        log.error("Slack refused an answer (status %s: %s)", response.status_code, reason)
        return False
    return True
