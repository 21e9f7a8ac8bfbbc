"""The processes of the Procfile: each answers one surface until it is stopped."""

import asyncio
import signal
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import Any

from pydantic import SecretStr

from bot.deployment import Settings
from bot.desk import Desk
from bot.logs import start_logs
from bot.settings import deployment
from bot.store.engine import open_store, require_answer
from planner.errors import BadInput


def run_process(name: str) -> None:
    """Run the process `name` until it is interrupted; what it still lacks it says in one line."""
    wanted = deployment()
    start_logs(wanted)
    asyncio.run(_until_stopped(_serving(name, wanted)))


def _desk(wanted: Settings) -> Desk:
    return Desk(wanted.catalog, 1 / wanted.idr_per_usd, lambda: datetime.now(UTC))


def _serving(name: str, wanted: Settings) -> list[Coroutine[Any, Any, None]]:
    """What to run: the named surface, or for `serve` every one that has a token."""
    desk = _desk(wanted)
    running = []
    if name == "slack" or (name == "serve" and wanted.slack_bot_token and wanted.slack_app_token):
        running.append(_slack(desk, wanted))
    if name == "discord" or (name == "serve" and wanted.discord_token):
        running.append(_discord(desk, wanted))
    if name == "serve" and not running:
        raise BadInput("cli.nothing_configured")
    if name == "worker" or (name == "serve" and wanted.worker_id):
        running.append(_worker(wanted))
    if name == "worker" and wanted.worker_port:
        running.append(_worker_health(wanted, wanted.worker_port))
    if name in ("web", "serve"):
        running.append(_web(desk, wanted))
    return running


async def _until_stopped(running: list[Coroutine[Any, Any, None]]) -> None:
    """Run everything; stop everything when one fails or the process is told to end."""
    loop = asyncio.get_running_loop()
    tasks = [loop.create_task(one) for one in running]
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, lambda: [task.cancel() for task in tasks])
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        if not task.cancelled() and (error := task.exception()):
            raise error


async def _web(desk: Desk, wanted: Settings) -> None:
    from bot.web import serve_web, web_app

    store = await asyncio.to_thread(open_store, _secret(wanted.database_url))

    checks = {"database": lambda: require_answer(store)}
    app = web_app(checks, wanted.catalog, lambda: datetime.now(UTC))
    signing_secret = _secret(wanted.slack_signing_secret)
    bot_token = _secret(wanted.slack_bot_token)
    if signing_secret and bot_token:
        from bot.slack.answers import Answers
        from bot.slack.app import http_app
        from bot.slack.http import add_routes

        answers = Answers(desk, store, lambda: datetime.now(UTC))
        add_routes(app, http_app(bot_token, signing_secret, answers, wanted.slack_api_url))
    await serve_web(app, wanted.port)


async def _worker(wanted: Settings) -> None:
    from bot.worker import serve_worker

    await serve_worker(wanted)


async def _worker_health(wanted: Settings, port: int) -> None:
    """What a worker on its own tells of itself over HTTP."""
    from bot.web import serve_web, web_app

    store = await asyncio.to_thread(open_store, _secret(wanted.database_url))
    checks = {"database": lambda: require_answer(store)}
    await serve_web(web_app(checks, wanted.catalog, lambda: datetime.now(UTC)), port)


async def _slack(desk: Desk, wanted: Settings) -> None:
    from bot.slack.answers import Answers
    from bot.slack.app import serve

    store = await asyncio.to_thread(open_store, _secret(wanted.database_url))
    await serve(
        bot_token=_secret(wanted.slack_bot_token),
        app_token=_secret(wanted.slack_app_token),
        answers=Answers(desk, store, lambda: datetime.now(UTC)),
        api_url=wanted.slack_api_url,
    )


async def _discord(desk: Desk, wanted: Settings) -> None:
    from bot.discord.answers import Answers
    from bot.discord.client import serve

    store = await asyncio.to_thread(open_store, _secret(wanted.database_url))
    await serve(
        answers=Answers(desk, store, lambda: datetime.now(UTC)),
        token=_secret(wanted.discord_token),
        api_url=wanted.discord_api_url,
        gateway_url=wanted.discord_gateway_url,
        reads_messages=wanted.discord_reads_messages,
    )


def _secret(value: SecretStr | None) -> str | None:
    return value.get_secret_value() if value is not None else None
