"""`muat worker`: a tick a minute, and the deliveries it leads to."""

import json
import signal
import threading
from datetime import UTC, datetime
from functools import partial

from pydantic import SecretStr

from bot.deployment import Settings
from bot.digests.content import content
from bot.digests.deliver import Sender
from bot.digests.durable import Composed, Work, start_working, stop_working, tick
from bot.language import words
from bot.render import render
from bot.store.asked import ChatName
from bot.store.engine import Store, open_store
from bot.store.subscriptions import Subscription
from bot.store.told import keep_told
from bot.watches.checking import Prices
from bot.watches.durable import Watching, tell_with
from bot.watches.durable import tick as tick_watches
from planner.errors import BadInput

TICK_SECONDS = 60.0


def run_worker(wanted: Settings) -> None:
    """Deliver until the process is told to end."""
    if not wanted.worker_id:
        raise BadInput("cli.worker_unnamed")
    senders = _senders(wanted)
    if not senders:
        raise BadInput("cli.nothing_configured")
    store = open_store(_secret(wanted.database_url))
    work = Work(
        store,
        senders,
        partial(_compose, store, wanted),
        lambda key, told: keep_told(store, key, told, _now()),
        _sorry,
        _now,
    )
    watching = Watching(store, senders, Prices(wanted.catalog, 1 / wanted.idr_per_usd), _now)
    tell_with(watching)
    ended = threading.Event()
    for sign in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sign, lambda *_: ended.set())
    start_working(work, store.url.render_as_string(hide_password=False), wanted.worker_id)
    try:
        tick(work)
        tick_watches(watching)
        while not ended.wait(TICK_SECONDS - _now().timestamp() % TICK_SECONDS):
            tick(work)
            tick_watches(watching)
    finally:
        stop_working()


def _senders(wanted: Settings) -> dict[ChatName, Sender]:
    found: dict[ChatName, Sender] = {}
    if slack_token := _secret(wanted.slack_bot_token):
        from bot.slack.post import SlackSender

        found["slack"] = SlackSender(slack_token, wanted.slack_api_url)
    if discord_token := _secret(wanted.discord_token):
        from bot.discord.post import DiscordSender

        found["discord"] = DiscordSender(discord_token, wanted.discord_api_url)
    return found


def _compose(store: Store, wanted: Settings, key: str, wish: Subscription) -> Composed:
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
