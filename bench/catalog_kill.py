"""kill -9 at random moments of a refresh: the catalog must be whole, and the old or the new one.

    python -m bench.catalog_kill [ROUNDS]

Each round refreshes a catalog of some thousand offers in a process of its own and kills it at a
random moment of the writing: the catalog, the swap, the history. The tests do the same at counted
steps; here the moment may lie inside a write or a sync.
"""

import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from bench.synthetic_offers import SEED, SyntheticSource
from planner.catalog.history import open_history
from planner.catalog.refresh import refresh
from planner.catalog.store import open_catalog

ROUNDS = 50
OFFERS = 10_000


class Written(NamedTuple):
    """What a catalog says once it was found whole: how many offers, and the sum of their prices."""

    offers: int
    usd: float


def refresh_once(folder: Path, number: int) -> float:
    """Refresh to the prices of a round, each 1 % above the last one's; seconds from the last
    source read to the end.
    """
    moments = [0.0]

    def say_when_read(source: str, done: int, total: int) -> None:
        if not source:
            moments[0] = time.perf_counter()
            sys.stdout.write(f"all {total} sources are read\n")
            sys.stdout.flush()

    source = SyntheticSource(OFFERS, 1 + number / 100)
    now = datetime(2026, 12, 1, tzinfo=UTC)
    refresh([source], folder / "catalog.sqlite", folder / "history.sqlite", now, say_when_read)
    return time.perf_counter() - moments[0]


def written(folder: Path) -> Written:
    """What the catalog in `folder` says; the run ends where it is not whole."""
    with closing(sqlite3.connect(folder / "catalog.sqlite")) as connection:
        sound = connection.execute("PRAGMA integrity_check").fetchone()
    check(sound == ("ok",), f"the catalog is damaged: {sound}")
    with open_catalog(folder / "catalog.sqlite") as catalog:
        offers = catalog.offers()
    return Written(len(offers), sum(offer.on_demand_usd_per_hour or 0.0 for offer in offers))


def killed_round(folder: Path, number: int, seconds: float) -> bool:
    """Begin a refresh and kill it so many seconds after its sources are read; whether it died."""
    command = [sys.executable, "-m", "bench.catalog_kill", "--refresh", str(folder), str(number)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        if process.stdout is not None:
            process.stdout.readline()
        time.sleep(seconds)
        process.kill()
    return process.returncode == -signal.SIGKILL


def check(is_so: bool, otherwise: str) -> None:
    """End the run with a sentence unless all is as promised."""
    if not is_so:
        raise SystemExit(otherwise)


def check_history(folder: Path) -> None:
    """Whether the prices that stand in the history are those of the catalog."""
    with open_history(folder / "history.sqlite") as history:
        current = [span.usd_per_hour for span in history.prices() if span.is_current]
    with open_catalog(folder / "catalog.sqlite") as catalog:
        stated = [shape.usd_per_hour for shape in catalog.shapes()]
    check(sorted(current) == sorted(stated), "the history does not follow the catalog")


def main() -> None:
    """Kill refreshes, check after each, and print how they ended."""
    if sys.argv[1:2] == ["--refresh"]:
        refresh_once(Path(sys.argv[2]), int(sys.argv[3]))
        return
    rounds = int(sys.argv[1]) if sys.argv[1:] else ROUNDS
    draw = random.Random(SEED)  # noqa: S311  # repeatable moments
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        refresh_once(folder, 0)
        first = old = written(folder)
        seconds = refresh_once(folder, 0)
        for number in range(1, rounds + 1):
            died = killed_round(folder, number, draw.uniform(0, seconds))
            found, usd = written(folder), first.usd * (1 + number / 100)
            is_new = abs(found.usd - usd) < usd / 1000
            check(found.offers == OFFERS, f"{found.offers} offers of {OFFERS}")
            check(is_new or found == old, f"neither the old nor the new one: {found}")
            ends[f"{'new' if is_new else 'old'}, {'killed' if died else 'had ended'}"] += 1
            old = found
        refresh_once(folder, rounds + 1)
        check(not list(folder.glob(".catalog.sqlite.new-*")), "something is left over")
        check_history(folder)
    print(f"{rounds} refreshes: {dict(ends)}; every catalog whole, the history complete")


if __name__ == "__main__":
    main()
