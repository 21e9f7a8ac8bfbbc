"""The HTTP side: health, readiness, metrics, and Slack's signed requests where they are set up."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from bot.metrics import CATALOG_AGE_HOURS, CATALOG_OFFERS, REGISTRY
from planner.catalog.store import open_catalog

#: Slack's own payloads are far smaller.
LARGEST_REQUEST_BYTES = 1024 * 1024
READY_SECONDS = 5.0

log = logging.getLogger(__name__)

#: Raises where a part is not ready.
Check = Callable[[], None]
Clock = Callable[[], datetime]


def web_app(
    checks: Mapping[str, Check], catalog_file: Path | None, clock: Clock
) -> web.Application:
    """The application; `checks` name the parts that must be ready, beside the catalog."""
    app = web.Application(client_max_size=LARGEST_REQUEST_BYTES)
    parts = {"catalog": lambda: _read_catalog(catalog_file, clock()), **checks}

    async def health(_: web.Request) -> web.Response:
        return web.json_response({"status": "alive"})

    async def ready(_: web.Request) -> web.Response:
        found = {name: await _is_ready(name, check) for name, check in parts.items()}
        status = 200 if all(found.values()) else 503
        return web.json_response(
            {name: "ready" if fine else "not ready" for name, fine in found.items()}, status=status
        )

    async def metrics(_: web.Request) -> web.Response:
        await _is_ready("catalog", parts["catalog"])
        return web.Response(
            body=generate_latest(REGISTRY), headers={"Content-Type": CONTENT_TYPE_LATEST}
        )

    app.router.add_get("/healthz", health)
    app.router.add_get("/readyz", ready)
    app.router.add_get("/metrics", metrics)
    return app


async def serve_web(app: web.Application, port: int) -> None:
    """Answer on `port` until cancelled, then finish the requests under way."""
    runner = web.AppRunner(app, shutdown_timeout=20.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, port=port)
        await site.start()
        log.info("listening on port %d", port)
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


async def _is_ready(name: str, check: Check) -> bool:
    try:
        async with asyncio.timeout(READY_SECONDS):
            await asyncio.to_thread(check)
    except Exception as error:  # whatever a part fails with, it is not ready
        log.warning("%s is not ready (%s)", name, type(error).__name__)
        return False
    return True


def _read_catalog(catalog_file: Path | None, now: datetime) -> None:
    with open_catalog(catalog_file) as catalog:
        facts = catalog.facts(now)
    CATALOG_OFFERS.set(facts.offers)
    CATALOG_AGE_HOURS.set(float("nan") if facts.age_hours is None else facts.age_hours)
