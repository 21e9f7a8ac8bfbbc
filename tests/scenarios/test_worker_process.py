"""`muat worker` as the process that a supervisor starts and ends."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.digests.slots import Rule
from bot.store.engine import open_store
from bot.store.subscriptions import Subscription, subscribe
from bot.store.workers import last_seen

#: Far more than the test takes; a worker that sat out its platform's wait would take longer.
PATIENCE_SECONDS = 120


class BusySlack(ThreadingHTTPServer):
    """A Slack that asks everybody to come back in an hour."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Busy)
        self.asked = threading.Event()


class _Busy(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_response(429)
        self.send_header("Retry-After", "3600")
        self.send_header("Content-Length", "0")
        self.end_headers()
        assert isinstance(self.server, BusySlack)
        self.server.asked.set()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def slack() -> Iterator[BusySlack]:
    server = BusySlack()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_a_worker_that_is_told_to_end_does_not_sit_out_its_platforms_wait(
    slack: BusySlack, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'team.sqlite'}"
    store, now = open_store(url), datetime.now(UTC)
    rule = Rule(frozenset(range(7)), tuple(time(hour) for hour in range(24)))
    wish = Subscription("slack", "T1", "C1", "U1", "en", "H100", rule, ZoneInfo("UTC"))
    subscribe(store, wish, now - timedelta(hours=1))
    settings = {
        "MUAT_WORKER_ID": "one",
        "MUAT_REFRESH_HOURS": "0",
        "MUAT_DATABASE_URL": url,
        "MUAT_SLACK_BOT_TOKEN": "xoxb-made-up",
        "MUAT_SLACK_API_URL": f"http://127.0.0.1:{slack.server_port}/",
        "XDG_CACHE_HOME": str(tmp_path),
    }
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "worker"], env={**os.environ, **settings}
    ) as process:
        try:
            assert slack.asked.wait(PATIENCE_SECONDS)
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE_SECONDS) == 0
        finally:
            process.kill()
    assert last_seen(store) is not None
