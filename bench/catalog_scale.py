"""A hundred thousand offers: how long a refresh takes, and what they add to an answer.

Run by `make bench`. The commands on the large catalog and on the bundled one take turns, so that a
machine that slows down slows both, and each figure is a ratio of medians taken in this one run.
"""

import os
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from bench.cold_start import MUAT, seconds
from bench.synthetic_offers import SyntheticSource
from planner.catalog.refresh import refresh

OFFERS = 100_000
IMPORT_SECONDS = 20
FIT_RATIO = 1.3
ROUNDS = 11

QUESTIONS = {
    "muat fit": ("fit", "llama-70b qlora"),
    "muat fit, near a place": ("fit", "llama-70b qlora near jakarta"),
    "muat fit, with a need": ("fit", "llama-70b qlora needs docker"),
    "muat prices": ("prices", "h100"),
}


def main() -> None:
    """Print the time of a refresh, and each question's time beside that on the bundled sample."""
    with tempfile.TemporaryDirectory() as folder:
        catalog, history = Path(folder, "catalog.sqlite"), Path(folder, "history.sqlite")
        for label, factor in (("first refresh", 1.0), ("refresh, every price moved", 1.1)):
            started = time.perf_counter()
            report = refresh(
                [SyntheticSource(OFFERS, factor)], catalog, history, datetime.now(UTC), _silent
            )
            took = time.perf_counter() - started
            print(
                f"{label + f' of {report.offers:,} offers':<48} {took:6.1f} s"
                f"  (promised: under {IMPORT_SECONDS} s)"
            )
        environment = {**os.environ, "XDG_CACHE_HOME": folder, "XDG_DATA_HOME": folder}
        for label, (command, text) in QUESTIONS.items():
            _compare(label, [MUAT, command, text, "--json"], catalog, environment)


def _compare(label: str, command: list[str], catalog: Path, environment: dict[str, str]) -> None:
    times: dict[str, list[float]] = {"bundled": [], "large": []}
    commands = {"bundled": command, "large": [*command, "--catalog", str(catalog)]}
    for one in commands.values():
        seconds(one, environment)  # builds the bundled catalog, fills the disk's cache
    for _ in range(ROUNDS):
        for name, one in commands.items():
            times[name].append(seconds(one, environment))
    bundled, large = (statistics.median(found) for found in times.values())
    promise = f"  (promised: at most {FIT_RATIO})" if label == "muat fit" else ""
    print(
        f"{label:<36} {bundled * 1000:5.0f} ms bundled {large * 1000:5.0f} ms"
        f" {large / bundled:5.2f}x{promise}"
    )


def _silent(source: str, done: int, total: int) -> None:
    """No progress bar."""


if __name__ == "__main__":
    main()
