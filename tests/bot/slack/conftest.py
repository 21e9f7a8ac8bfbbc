"""A stand-in for Slack, a clock that a test moves, and waits that take no time."""

import logging
from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace

import pytest
from slack_sdk.http_retry import async_handler, builtin_async_handlers

from bot.redaction import RedactSecrets
from tests.standins.slack import SlackStandIn


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def slack() -> AsyncIterator[SlackStandIn]:
    async with SlackStandIn() as stand_in:
        yield stand_in


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits that the SDK asked for; none of them is waited out."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    for module in (async_handler, builtin_async_handlers):
        monkeypatch.setattr(module, "asyncio", SimpleNamespace(sleep=sleep))
    return waits


@pytest.fixture(autouse=True)
def logs_as_before() -> Iterator[None]:
    """Takes off the log filters that a test put on handlers which outlive it."""
    yield
    for handler in (*logging.getLogger().handlers, logging.lastResort):
        for log_filter in handler.filters[:] if handler else ():
            if isinstance(log_filter, RedactSecrets):
                handler.removeFilter(log_filter)
