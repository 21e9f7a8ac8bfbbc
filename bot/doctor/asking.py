"""Asking a platform: what it says, or that it could not be asked."""

from collections.abc import Awaitable, Callable

import aiohttp

from bot.doctor.finding import Finding, finding


async def asked(name: str, ask: Callable[[], Awaitable[list[Finding]]]) -> list[Finding]:
    """What a platform says; unknown where it could not be asked."""
    try:
        return await ask()
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        return [finding(name, "unknown", "doctor.not_asked", reason=type(error).__name__)]
