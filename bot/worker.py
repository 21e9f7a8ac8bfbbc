"""`muat worker`: a tick a minute, and the deliveries it leads to."""

import asyncio
import json
import logging
import threading
from datetime import UTC, datetime
from functools import partial

from pydantic import SecretStr

from bot.deployment import Settings
from bot.digests.content import content
from bot.digests.deliver import Sender
from bot.digests.durable import (
    Composed,
    Work,
    go_on_with,
    is_extra,
    start_working,
    stop_working,
    tick,
)
from bot.language import words
from bot.refreshing import Refreshing, refresh_aside
from bot.render import render
from bot.store.asked import ChatName
from bot.store.engine import Store, open_store
from bot.store.subscriptions import Subscription
from bot.store.told import keep_told
from bot.store.workers import show, take_lost
from bot.watches.checking import Prices
from bot.watches.durable import Watching, tell_with
from bot.watches.durable import tick as tick_watches
from planner.catalog.store import user_catalog
from planner.errors import BadInput

TICK_SECONDS = 60.0

log = logging.getLogger(__name__)


async def serve_worker(wanted: Settings) -> None:
    """Deliver until cancelled. BadInput where the worker has no name, or no platform to post to."""
    worker = await asyncio.to_thread(Worker, wanted)
    try:
        while True:
            await asyncio.to_thread(worker.tick)
            await asyncio.sleep(TICK_SECONDS - _now().timestamp() % TICK_SECONDS)
    finally:
        await asyncio.to_thread(worker.stop)


class Worker:
    """Digests, watches and prices: looked after by one tick a minute, one at a time."""

    def __init__(self, wanted: Settings) -> None:
        if not wanted.worker_id:
            raise BadInput("cli.worker_unnamed")
        senders = _senders(wanted)
        if not senders:
            raise BadInput("cli.nothing_configured")
        self._name = wanted.worker_id
        self._store = store = open_store(_secret(wanted.database_url))
        self._work = Work(
            store,
            senders,
            partial(_compose, store, wanted),
            lambda key, told: keep_told(store, key, told, _now()),
            _sorry,
            _now,
        )
        usd_per_idr = 1 / wanted.idr_per_usd
        self._watching = Watching(store, senders, Prices(wanted.catalog, usd_per_idr), _now)
        self._refreshing = _refreshing(store, wanted, self._name)
        self._reader: threading.Thread | None = None
        self._ticking = threading.Lock()
        tell_with(self._watching)
        start_working(self._work, store.url.render_as_string(hide_password=False), self._name)

    def tick(self) -> None:
        """Do what is due."""
        with self._ticking:
            show(self._store, self._name, _now())
            for lost in take_lost(self._store, _now()):
                log.warning("going on with what the worker %s had begun", lost)
                go_on_with(lost)
            self._reader = refresh_aside(self._refreshing, self._reader)
            tick(self._work)
            tick_watches(self._watching)

    def stop(self) -> None:
        """Take no more work."""
        with self._ticking:
            stop_working()


def _refreshing(store: Store, wanted: Settings, name: str) -> Refreshing:
    import os

    from planner.catalog.feeds import default_sources

    return Refreshing(
        store=store,
        worker=name,
        catalog=wanted.catalog or user_catalog(),
        sources=lambda: default_sources(os.environ),
        every_hours=wanted.refresh_hours,
        clock=_now,
    )


def _senders(wanted: Settings) -> dict[ChatName, Sender]:
    found: dict[ChatName, Sender] = {}
    if slack_token := _secret(wanted.slack_bot_token):
        from bot.slack.post import SlackSender

        found["slack"] = SlackSender(slack_token, wanted.slack_api_url)
    if discord_token := _secret(wanted.discord_token):
        from bot.discord.post import DiscordSender

        found["discord"] = DiscordSender(discord_token, wanted.discord_api_url)
    return found


def _compose(store: Store, wanted: Settings, key: str, wish: Subscription, slot: str) -> Composed:
    if is_extra(slot):
        wish = wish._replace(only_on_change=False)
    found = content(store, wanted.catalog, 1 / wanted.idr_per_usd, key, wish, _now())
    if found.card is None:
        return Composed(None, found.told)
    payload = render(found.card, wish.surface, words(wish.language))
    return Composed(json.dumps(payload, ensure_ascii=False), found.told)


def _sorry(wish: Subscription, reason: str) -> str:
    say = words(wish.language)
    if reason == "uncertain":
        return say.t("digests.uncertain", what=wish.what)
    return say.t("digests.paused", what=wish.what, reason=reason)


def _now() -> datetime:
    return datetime.now(UTC)


def _secret(value: SecretStr | None) -> str | None:
    return value.get_secret_value() if value is not None else None
