"""Writes what bench/fit_stacks.py fitted into the product's data files."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from planner.accuracy.left_out import LeftOut
from planner.accuracy.score import Scored, percentile

ROOT = Path(__file__).resolve().parent.parent
MEMORY = ROOT / "planner" / "memory" / "data"
LEFT_OUT = ROOT / "planner" / "accuracy" / "data" / "left_out.csv"
#: Fewer runs of a stack in a layout say too little about its range.
LEAST_FOR_INTERVAL = 16
#: A range is never said to be narrower than this on either side.
LEAST_MARGIN = 0.05
FITTED = (
    "least absolute deviations over the quality-A rows of measured_runs.csv (bench/fit_stacks.py)"
)


def write_figures(
    figures: Mapping[tuple[str, str, str], float], runs: Mapping[tuple[str, str], int]
) -> None:
    """Overheads by stack and layout, and the fitted columns of the profiles."""
    places = sorted({(stack, layout) for stack, layout, _ in figures if layout})
    names = sorted({name for _, layout, name in figures if layout}, key=_OVERHEADS.index)
    rows = []
    for stack, layout in places:
        fitted = {name: f"{figures[stack, layout, name]:.3g}" for name in names}
        there = sum(n for (s, at), n in runs.items() if at == layout and stack in ("*", s))
        rows.append({"stack": stack, "layout": layout, **fitted, "runs": there, "source": FITTED})
    _write(MEMORY / "overheads.csv", rows)
    with (MEMORY / "stacks.csv").open(encoding="utf-8", newline="") as file:
        profiles = list(csv.DictReader(file))
    for profile in profiles:
        for (stack, layout, name), value in figures.items():
            if stack == profile["stack"] and not layout:
                profile[name] = f"{value:.3g}"
    _write(MEMORY / "stacks.csv", profiles)


_OVERHEADS = ("context_gib", "reserved_ratio", "bytes_per_logit", "varying_bytes_per_logit")


def write_intervals(scored: Sequence[Scored]) -> None:
    """5th and 95th percentile of measured / estimated by stack and layout."""
    ratios: dict[tuple[str, str], list[float]] = {}
    for one in scored:
        if one.error is None:
            continue
        ratio = 1 / (1 + one.error)
        if one.run.device_gib is not None:
            ratio = one.run.device_gib / one.estimate.device_gib
        layout = (
            "several"
            if one.run.gpus > 1 and one.run.training.sharding != "device_map"
            else "single"
        )
        for stack in (one.run.training.stack or "", "*"):
            ratios.setdefault((stack, layout), []).append(ratio)
    rows = []
    for (stack, layout), found in sorted(ratios.items()):
        if len(found) < LEAST_FOR_INTERVAL:
            continue
        found.sort()
        low = min(percentile(found, 0.05), 1 - LEAST_MARGIN)
        high = max(percentile(found, 0.95), 1 + LEAST_MARGIN)
        rows.append(
            {"stack": stack, "layout": layout, "low": f"{low:.3f}", "high": f"{high:.3f}",
             "runs": len(found), "source": _INTERVALS}
        )  # fmt: skip
    _write(MEMORY / "intervals.csv", rows)


_INTERVALS = (
    "5th and 95th percentile of measured / estimated over the quality-A rows of measured_runs.csv: "
    "device memory where stated, else the row's own counter (bench/fit_stacks.py)"
)


def write_left_out(rows: Sequence[LeftOut]) -> None:
    """Errors in sample and left out."""
    _write(
        LEFT_OUT,
        [
            {**row.model_dump(), "median": f"{row.median:.4f}", "p90": f"{row.p90:.4f}"}
            for row in rows
        ],
    )


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
