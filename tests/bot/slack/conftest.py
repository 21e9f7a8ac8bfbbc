"""A stand-in for Slack, a clock that a test moves, and waits that take no time."""

from collections.abc import AsyncIterator
from types import SimpleNamespace

import pytest
from slack_sdk.http_retry import async_handler, builtin_async_handlers

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
