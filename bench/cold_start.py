"""Cold start: wall time of whole muat processes against Python defining one pydantic model.

Run by `make bench`. The commands take turns, so that a machine that slows down slows all of them,
and each figure is a ratio of medians taken in this one run.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 15
BASELINE = "import pydantic\nclass One(pydantic.BaseModel):\n    x: int\n"
MUAT = str(Path(sys.executable).with_name("muat"))

COMMANDS: dict[str, tuple[list[str], float | None]] = {
    "python defining one pydantic model": ([sys.executable, "-c", BASELINE], None),
    "muat estimate": ([MUAT, "estimate", "llama-3.1-8b", "qlora", "--json"], 1.5),
    "muat fit --json": ([MUAT, "fit", "llama-70b qlora", "--json"], 2.0),
    "muat fit": ([MUAT, "fit", "llama-70b qlora"], 2.0),
}


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """Wall time of one run of `command`."""
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return time.perf_counter() - started


def main() -> None:
    """Print the median of each command and its ratio to the baseline."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        for command, _ in COMMANDS.values():
            seconds(command, environment)  # compiles bytecode, builds the catalog
        times: dict[str, list[float]] = {name: [] for name in COMMANDS}
        for _ in range(ROUNDS):
            for name, (command, _) in COMMANDS.items():
                times[name].append(seconds(command, environment))
    medians = {name: statistics.median(found) for name, found in times.items()}
    baseline = medians[next(iter(COMMANDS))]
    for name, (_, promised) in COMMANDS.items():
        promise = f"  (promised: at most {promised})" if promised else ""
        print(
            f"{name:<36} {medians[name] * 1000:6.0f} ms  {medians[name] / baseline:4.2f}x{promise}"
        )


if __name__ == "__main__":
    main()
