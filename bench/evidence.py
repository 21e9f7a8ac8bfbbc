"""Writes planner/memory/data/evidence.csv anew from the measured runs the package ships.

    python -m bench.evidence

Rows that rest on the simulation are kept as they stand.
"""

import csv
from collections import Counter
from pathlib import Path

from planner.accuracy.runs import MeasuredRun, measured_runs
from planner.memory.setup import settle
from planner.models.registry import resolve

PATH = Path(__file__).parent.parent / "planner" / "memory" / "data" / "evidence.csv"
#: One run may be an accident.
LEAST_RUNS = 2
SOURCE = "quality-A rows of measured_runs.csv with a figure"


def kind(run: MeasuredRun) -> tuple[str, str, str, str]:
    """Stack, layout, method and kind of base of a run."""
    setup = settle(resolve(run.model).architecture, run.training, gpus=run.gpus).setup
    quantised = setup.base_is_quantised
    return (
        setup.profile.stack,
        "several" if run.gpus > 1 else "single",
        "qlora" if setup.method == "lora" and quantised else setup.method,
        setup.base_dtype if quantised else "plain",
    )


def main() -> None:
    """Count the runs of every kind and write those that several stand behind."""
    stated = [run for run in measured_runs() if run.quality == "A" and run.middle_gib is not None]
    counted = sorted(Counter(kind(run) for run in stated).items())
    with PATH.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    simulated = [row for row in rows if row[header.index("evidence")] != "measured"]
    measured = [
        [stack, "*", layout, method, base, "measured", str(runs), SOURCE]
        for (stack, layout, method, base), runs in counted
        if runs >= LEAST_RUNS
    ]
    with PATH.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *measured, *simulated])


if __name__ == "__main__":
    main()
