"""Prices read anew on a schedule, by one worker at a time."""

import hashlib
import logging
import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from prometheus_client import Counter

from bot.metrics import REGISTRY
from bot.store.engine import Store
from bot.store.workers import end_turn, take_turn
from planner.catalog.history import beside
from planner.catalog.refresh import RefreshReport, refresh
from planner.catalog.sources.source import Source
from planner.catalog.store import open_catalog
from planner.errors import Refusal

#: Each worker waits up to this share of the interval longer, so that not all ask at one time.
JITTER = 0.1
#: Until then a worker that ended while it read keeps the turn from the others.
MOST_TIME = timedelta(minutes=30)
#: After a refresh that read nothing.
AGAIN_AFTER = timedelta(hours=1)
_JOB = "refresh"

REFRESHES = Counter(
    "muat_catalog_refreshes",
    "Refreshes by outcome: read (at least one source), failed.",
    ["outcome"],
    registry=REGISTRY,
)
log = logging.getLogger(__name__)


class Refreshing(NamedTuple):
    """Who reads which sources into which catalog, and how often; 0 hours is never."""

    store: Store
    worker: str
    catalog: Path
    sources: Callable[[], Sequence[Source]]
    every_hours: float
    clock: Callable[[], datetime]


def is_due(read_at: datetime | None, now: datetime, every_hours: float, worker: str) -> bool:
    """Whether prices that were read at `read_at` (None is never) are to be read again."""
    if every_hours <= 0:
        return False
    if read_at is None:
        return True
    drawn = hashlib.sha256(f"{worker} {read_at.isoformat()}".encode()).digest()[0] / 255
    return now - read_at >= timedelta(hours=every_hours * (1 + JITTER * drawn))


def refresh_in_turn(work: Refreshing) -> RefreshReport | None:
    """Read the prices anew where they are due and it is this worker's turn; None otherwise, or
    where the catalog could not be written.
    """
    now = work.clock()
    if not is_due(_read_at(work.catalog), now, work.every_hours, work.worker):
        return None
    if not take_turn(work.store, _JOB, work.worker, now, now + MOST_TIME):
        return None
    report = _refreshed(work, now)
    read = report is not None and any(one.status == "read" for one in report.sources)
    REFRESHES.labels("read" if read else "failed").inc()
    end_turn(work.store, _JOB, work.worker, work.clock() + (timedelta(0) if read else AGAIN_AFTER))
    return report


def refresh_aside(work: Refreshing, running: threading.Thread | None) -> threading.Thread:
    """`refresh_in_turn` in a thread of its own, unless `running` is still at it.

    The thread ends with the process: a refresh that is cut off leaves the old catalog.
    """
    if running is not None and running.is_alive():
        return running
    started = threading.Thread(target=refresh_in_turn, args=(work,), daemon=True)
    started.start()
    return started


def _refreshed(work: Refreshing, now: datetime) -> RefreshReport | None:
    work.catalog.parent.mkdir(parents=True, exist_ok=True)
    try:
        report = refresh(work.sources(), work.catalog, beside(work.catalog), now, _silent)
    except Refusal as refusal:
        log.warning("prices were not read anew (%s)", refusal.note.code)
        return None
    for one in report.sources:
        if one.status != "read":
            why = "" if one.note is None else one.note.code
            log.warning("%s was not read (%s)", one.name, why)
    log.info("%d offers, %d prices changed", report.offers, report.changed_prices)
    return report


def _read_at(catalog: Path) -> datetime | None:
    if not catalog.exists():
        return None
    with open_catalog(catalog) as found:
        return found.read_at()


def _silent(source: str, done: int, total: int) -> None:
    """Nobody watches."""
