"""Writes what bench/fit_stacks.py fitted into the product's data files."""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from planner.accuracy.left_out import LeftOut
from planner.accuracy.score import LEAST_RUNS, Scored, percentile
from planner.memory.setup import settle
from planner.memory.stacks import layout
from planner.models.registry import resolve

ROOT = Path(__file__).resolve().parent.parent
MEMORY = ROOT / "planner" / "memory" / "data"
LEFT_OUT = ROOT / "planner" / "accuracy" / "data" / "left_out.csv"
#: Fewer runs of a stack in a layout say too little about its range.
LEAST_FOR_INTERVAL = 16
#: A range is never said to be narrower than this on either side.
LEAST_MARGIN = 0.05
#: Runs of a kind of base that stand behind it.
LEAST_OF_BASE = 2
FITTED = (
    "least absolute deviations over the quality-A rows of measured_runs.csv (bench/fit_stacks.py)"
)


def write_figures(
    figures: Mapping[tuple[str, str, str], float], runs: Mapping[tuple[str, str], int]
) -> None:
    """Overheads by stack and layout, and the fitted columns of the profiles."""
    places = sorted({(stack, where) for stack, where, _ in figures if where})
    names = sorted({name for _, where, name in figures if where}, key=_OVERHEADS.index)
    rows = []
    for stack, where in places:
        fitted = {name: f"{figures[stack, where, name]:.4g}" for name in names}
        there = sum(n for (s, at), n in runs.items() if at == where and stack in ("*", s))
        rows.append({"stack": stack, "layout": where, **fitted, "runs": there, "source": FITTED})
    write_rows(MEMORY / "overheads.csv", rows)
    with (MEMORY / "stacks.csv").open(encoding="utf-8", newline="") as file:
        profiles = list(csv.DictReader(file))
    for profile in profiles:
        for (stack, where, name), value in figures.items():
            if stack == profile["stack"] and not where:
                profile[name] = f"{value:.4g}"
    write_rows(MEMORY / "stacks.csv", profiles)


_OVERHEADS = ("context_gib", "reserved_ratio", "bytes_per_logit", "varying_bytes_per_logit")


def write_intervals(model_left_out: Sequence[Scored], source_left_out: Sequence[Scored]) -> None:
    """5th and 95th percentile of measured / estimated by stack and layout: of a stack when fitted
    without the run's model, of all stacks when fitted without the run's source.
    """
    ranges: dict[tuple[str, str], list[Scored]] = {}
    for every, runs in ((False, model_left_out), (True, source_left_out)):
        for one in runs:
            if one.error is not None:
                training = one.run.training
                stack = "*" if every else training.stack or ""
                where = layout(one.run.gpus, training.sharding or "none")
                ranges.setdefault((stack, where), []).append(one)
    rows = []
    for (stack, where), found in sorted(ranges.items()):
        if len(found) < LEAST_FOR_INTERVAL:
            continue
        low, high = _range(sorted(_ratio(one) for one in found))
        methods = Counter(one.run.training.method for one in found)
        bases = Counter(_base_kind(one) for one in found)
        rows.append(
            {
                "stack": stack,
                "layout": where,
                "low": f"{low:.3f}",
                "high": f"{high:.3f}",
                "methods": ";".join(sorted(m for m, n in methods.items() if n >= LEAST_RUNS)),
                "bases": ";".join(sorted(b for b, n in bases.items() if n >= LEAST_OF_BASE)),
                "runs": len(found),
                "source": _INTERVALS.format(what="source" if stack == "*" else "model"),
            }
        )
    write_rows(MEMORY / "intervals.csv", rows)


def _base_kind(one: Scored) -> str:
    run = one.run
    architecture = resolve(run.model).architecture
    return settle(architecture, run.training, gpus=run.gpus).setup.base_kind


def _ratio(one: Scored) -> float:
    """Measured / estimated: of device memory where it is stated."""
    if one.run.device_gib is not None:
        return one.run.device_gib / one.estimate.device_gib
    return 1 / (1 + (one.error or 0.0))


def _range(ratios: list[float]) -> tuple[float, float]:
    low, high = percentile(ratios, 0.05), percentile(ratios, 0.95)
    return min(low, 1 - LEAST_MARGIN), max(high, 1 + LEAST_MARGIN)


_INTERVALS = (
    "5th and 95th percentile of measured / estimated over the quality-A rows of measured_runs.csv, "
    "fitted without the row's {what}: device memory where stated, else the row's own counter "
    "(bench/fit_stacks.py)"
)


def write_left_out(rows: Sequence[LeftOut]) -> None:
    """Errors in sample and left out."""
    write_rows(
        LEFT_OUT,
        [
            {**row.model_dump(), "median": f"{row.median:.4f}", "p90": f"{row.p90:.4f}"}
            for row in rows
        ],
    )


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store `rows` under the names of the first one's columns."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
