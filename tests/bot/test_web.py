"""The HTTP side: alive, ready or not and which part, metrics, nothing secret."""

import logging
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer

from bot.desk import Desk
from bot.web import web_app

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
HUSH = "postgresql://muat:hush@db/muat"


def broken() -> None:
    raise ConnectionError(f"no answer from {HUSH}")


@pytest.fixture
async def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[TestClient]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    app = web_app({"database": lambda: None}, None, lambda: NOW)
    async with TestClient(TestServer(app)) as found:
        yield found


async def test_alive_and_ready(client: TestClient) -> None:
    assert (await client.get("/healthz")).status == 200
    answer = await client.get("/readyz")
    assert answer.status == 200
    assert await answer.json() == {"catalog": "ready", "database": "ready"}


async def test_what_is_not_ready_is_named_without_secrets(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    app = web_app({"database": broken}, tmp_path / "no.sqlite", lambda: NOW)
    async with TestClient(TestServer(app)) as client:
        assert (await client.get("/healthz")).status == 200
        answer = await client.get("/readyz")
        text = await answer.text()
    assert answer.status == 503
    assert await answer.json() == {"catalog": "not ready", "database": "not ready"}
    assert "hush" not in text + caplog.text
    assert {record.levelno for record in caplog.records} >= {logging.WARNING}


async def test_metrics_count_answers_and_tell_the_age_of_prices(client: TestClient) -> None:
    def count(text: str) -> float:
        found = re.search(r'muat_answers_total\{card="fit",outcome="answered"\} (\S+)', text)
        return float(found[1]) if found else 0.0

    before = count(await (await client.get("/metrics")).text())
    desk = Desk(None, 1 / 16667, lambda: NOW)
    await desk.answer("/fit llama-8b qlora")
    await desk.answer("/fit nosuchmodel-9b qlora")
    text = await (await client.get("/metrics")).text()
    assert count(text) == before + 1
    assert 'card="notice",outcome="refused"' in text
    assert re.search(r"^muat_catalog_offers [1-9]", text, re.MULTILINE)
    assert re.search(r"^muat_catalog_age_hours \d", text, re.MULTILINE)
