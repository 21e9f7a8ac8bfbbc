"""A process that refreshes a catalog, and dies or is disturbed while it does.

    python refresher.py FOLDER                 reads "kind step" lines and answers each with a line

Each refresh runs in a fork. `kind` is what every offer is called then; at the given `step` (a
call of a Python or C function, counted from when the sources are read) the fork ends itself as
`kill -9` would. A step that is never reached lets it end well. The answer is "killed",
"done STEPS" or "refused CODE".
"""

import os
import resource
import signal
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

from planner.catalog.offer import Offer
from planner.catalog.refresh import refresh
from planner.catalog.sources.source import Reading
from planner.errors import Refusal

OFFERS = 200


class NamedOffers:
    """A source of offers that all have one instance type, so that a mix of two shows."""

    name = "named"

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def read(self, now: datetime) -> Reading:
        """One offer per number of a region, priced by the kind."""
        return Reading(tuple(self._offer(number) for number in range(OFFERS)), (), OFFERS)

    def _offer(self, number: int) -> Offer:
        return Offer(
            provider="Lambda",
            instance_type=self._kind,
            gpu="H100-SXM5",
            gpu_count=1,
            interconnect="single",
            vcpus=None,
            host_ram_gib=None,
            region=f"us-east-{number}",
            on_demand_usd_per_hour=1.0 + number,
            spot_usd_per_hour=None,
            as_of=date(2026, 12, 1),
            gathered_on=date(2026, 12, 1),
            source="made up",
            is_sample=False,
        )


def refresh_as(kind: str, folder: Path, once_read: Callable[[], None] = lambda: None) -> None:
    """Refresh the catalog in `folder` to offers of one kind; `once_read` is called in between."""
    refresh(
        [NamedOffers(kind)],
        folder / "catalog.sqlite",
        folder / "history.sqlite",
        datetime(2026, 12, 1, tzinfo=UTC),
        lambda name, done, total: None if name else once_read(),
    )


def attempt(kind: str, last_step: int, folder: Path) -> str:
    """Refresh, and die at `last_step`; what came of it."""
    steps = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal steps
        if event in ("call", "c_call"):
            if steps == last_step:
                os.kill(os.getpid(), signal.SIGKILL)
            steps += 1

    try:
        refresh_as(kind, folder, lambda: sys.setprofile(count))
    except Refusal as refusal:
        return f"refused {refusal.note.code}"
    finally:
        sys.setprofile(None)
    return f"done {steps}"


def in_a_fork(kind: str, last_step: int, folder: Path, writable_bytes: int | None) -> str:
    """`attempt` in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        if writable_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (writable_bytes, writable_bytes))
        os.write(writing, attempt(kind, last_step, folder).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return said or "killed"


def main() -> None:
    """Answer the lines of standard input; a third word limits how large a file may grow."""
    folder = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as elsewhere:
        refresh_as("warm", Path(elsewhere))  # what is imported on first use is no step of a refresh
    for line in sys.stdin:
        kind, last_step, *limit = line.split()
        said = in_a_fork(kind, int(last_step), folder, int(limit[0]) if limit else None)
        sys.stdout.write(said + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
