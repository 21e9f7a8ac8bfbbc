"""Fit what cards and stacks make of a training step's work, and say how well that generalises.

    python -m bench.fit_speed           prints the figures and the errors: in sample, with each
                                        model left out and with each source left out
    python -m bench.fit_speed --write   also writes them to planner/speed/data/ and
                                        planner/accuracy/data/speed_left_out.csv

Operations and bytes are counted, not fitted. What is: the shares and seconds of FIGURES and each
measured class of cards, over all sources at once, by least absolute deviations of
log(estimate / measured); a source of many runs weighs as the root of their number, quality B half
as much as A. Each figure is drawn a little towards where it starts.
"""

import csv
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from math import exp, log, sqrt
from typing import NamedTuple

from bench.fitted_files import ROOT, write_rows
from planner.accuracy.left_out import Kind, LeftOut
from planner.accuracy.score import LEAST_RUNS, percentile
from planner.accuracy.speeds import Job, group_error, job_of, measured_speeds
from planner.speed.figures import Figures, assumed_share, card_class
from planner.speed.pace import Card, card_of, parts_of, tokens_per_s

DATA = ROOT / "planner" / "speed" / "data"
LEFT_OUT = ROOT / "planner" / "accuracy" / "data" / "speed_left_out.csv"


class Range(NamedTuple):
    """The least and largest sensible value of a figure, and where its fit starts."""

    least: float
    largest: float
    start: float


FIGURES = {
    "attention_share": Range(0.1, 0.9, 0.5),
    "memory_share": Range(0.3, 0.95, 0.7),
    "elementwise": Range(0.2, 6, 1),
    "adapter": Range(0.1, 8, 1),
    "dequantise_bytes": Range(1, 60, 5),
    "batch_seconds": Range(1e-3, 0.5, 0.03),
    "layer_seconds": Range(1e-5, 5e-3, 4e-4),
    "adapter_seconds": Range(1e-6, 5e-4, 4e-5),
    "expert_seconds": Range(1e-6, 1e-3, 6e-5),
    "sharded_seconds": Range(1e-6, 5e-3, 1e-4),
    "nvlink_share": Range(0.05, 1, 0.5),
    "pcie_share": Range(0.05, 1, 0.5),
    "offload_share": Range(0.1, 1, 0.5),
}
#: A class of cards: the share of its peak that matrix products reach. The fit starts where
#: cards.csv puts its generation without a measurement, and leaves it there where no run speaks.
LEAST_SHARE, LARGEST_SHARE = 0.25, 1.0
#: What a figure costs that moves one step of its scale away from where it starts.
DRAW = 2e-4
#: Errors below this do not pull: measurements repeat no better.
NOISE = 0.01
FIRST_STEP, LAST_STEP = 1.0, 1 / 64

Point = dict[str, float]


class Case(NamedTuple):
    """A measured run, with what its card offers."""

    job: Job
    card: Card
    card_class: str


@cache
def all_cases() -> tuple[Case, ...]:
    """Every run."""
    cases = []
    for run in measured_speeds():
        job = job_of(run)
        card = card_of(job.gpu, run.interconnect, job.setup)
        if card is None:
            raise LookupError(f"no rates for the card of {run.id}")
        cases.append(Case(job, card, card_class(job.gpu)))
    return tuple(cases)


@cache
def limits_of(name: str) -> Range:
    """The range of a figure, or of a class of cards."""
    if name in FIGURES:
        return FIGURES[name]
    return Range(LEAST_SHARE, LARGEST_SHARE, assumed_share(name))


def value(name: str, place: float) -> float:
    """The value of a figure at `place` on a scale without ends."""
    limits = limits_of(name)
    return limits.least + (limits.largest - limits.least) / (1 + exp(-place))


def place(name: str) -> float:
    """Where the fit of a figure starts on that scale."""
    limits = limits_of(name)
    return log((limits.start - limits.least) / (limits.largest - limits.start))


def deviation(case: Case, known: Figures, share: float) -> float:
    """log(estimate / measured)."""
    setup = case.job.setup
    parts = parts_of(case.job.asked, setup, case.card, share, known)
    found = tokens_per_s(case.job.asked, parts, setup) / setup.workers
    return log(found / case.job.run.tokens_per_s_per_gpu)


def deviations(cases: Sequence[Case], point: Mapping[str, float]) -> list[float]:
    """The deviation of each case at `point`; a class of cards nobody fitted stands at its start."""
    known = Figures(**{name: value(name, point[name]) for name in FIGURES})
    shares = {name: value(name, at) for name, at in point.items() if name not in FIGURES}
    return [
        deviation(one, known, shares.get(one.card_class, limits_of(one.card_class).start))
        for one in cases
    ]


def fit(cases: Sequence[Case]) -> Point:
    """The figures that suit `cases` best: one is moved at a time while that helps, then the step
    halves.
    """
    rows = Counter(case.job.run.group for case in cases)
    weights = [
        (1.0 if case.job.run.quality == "A" else 0.5) / sqrt(rows[case.job.run.group])
        for case in cases
    ]
    names = [*FIGURES, *sorted({case.card_class for case in cases})]
    start = {name: place(name) for name in names}

    def loss(point: Point) -> float:
        found = zip(weights, deviations(cases, point), strict=True)
        pulled = sum(weight * sqrt(error**2 + NOISE**2) for weight, error in found)
        drawn = sum((point[name] - start[name]) ** 2 for name in names)
        return pulled / sum(weights) + DRAW * drawn

    return _descended(start, loss)


def _descended(start: Point, loss: Callable[[Point], float]) -> Point:
    point, step, least = dict(start), FIRST_STEP, loss(start)
    while step >= LAST_STEP:
        before = least
        for name in point:
            for moved in (point[name] - step, point[name] + step):
                tried = loss({**point, name: moved})
                if tried < least - 1e-9:
                    least, point[name] = tried, moved
                    break
        if least == before:
            step /= 2
    return point


def errors_left_out(what: Mapping[str, str]) -> dict[str, float]:
    """By run the deviation under figures that were fitted without its kind; `what` maps a run to
    its kind.
    """
    kinds = sorted(set(what.values()))
    found: dict[str, float] = {}
    with ProcessPoolExecutor() as pool:
        for part in pool.map(_errors_without, [what] * len(kinds), kinds):
            found |= part
    return found


def _errors_without(what: Mapping[str, str], kind: str) -> dict[str, float]:
    cases = all_cases()
    out = [case for case in cases if what[case.job.run.id] == kind]
    point = fit([case for case in cases if what[case.job.run.id] != kind])
    return _by_run(out, point)


def _by_run(cases: Sequence[Case], point: Point) -> dict[str, float]:
    ids = [case.job.run.id for case in cases]
    return dict(zip(ids, deviations(cases, point), strict=True))


def report(found: Mapping[Kind, Mapping[str, float]]) -> list[LeftOut]:
    """Errors of the quality-A runs, over all ("") and per source, by what was left out."""
    rows = []
    runs = [case.job.run for case in all_cases() if case.job.run.quality == "A"]
    for kind, errors in found.items():
        groups: dict[str, list[float]] = {"": [exp(errors[run.id]) - 1 for run in runs]}
        for run in runs:
            groups.setdefault(run.group, []).append(exp(errors[run.id]) - 1)
        for name, values in groups.items():
            if len(values) >= LEAST_RUNS:
                one = group_error("", name, values)
                rows.append(
                    LeftOut(kind=kind, source=name, runs=one.runs, median=one.median, p90=one.p90)
                )
    return rows


def model_name(case: Case) -> str:
    """The model a run trains, chat and quantised versions of it included."""
    return case.job.architecture.hf_id.split("/")[-1].removesuffix("-GPTQ").removesuffix("-Chat")


SOURCE = "least absolute deviations over measured_speed.csv (bench/fit_speed.py)"


def write(point: Point, rows: Sequence[LeftOut], unseen: Mapping[str, float]) -> None:
    """Store figures, shares of the classes called measured, the range, and the errors."""
    write_rows(
        DATA / "figures.csv",
        [{"name": n, "value": f"{value(n, point[n]):.4g}", "source": SOURCE} for n in FIGURES],
    )
    with (DATA / "cards.csv").open(encoding="utf-8", newline="") as file:
        cards = list(csv.DictReader(file))
    for card in cards:
        if card["basis"] == "measured":
            card["gemm_share"] = f"{value(card['class'], point[card['class']]):.3f}"
    write_rows(DATA / "cards.csv", cards)
    runs = {case.job.run.id for case in all_cases() if case.job.run.quality == "A"}
    ratios = sorted(exp(-error) for run, error in unseen.items() if run in runs)
    low, high = percentile(ratios, 0.05), percentile(ratios, 0.95)
    with (DATA / "ranges.csv").open(encoding="utf-8", newline="") as file:
        ranges = list(csv.DictReader(file))
    for row in ranges:
        if row["basis"] == "measured":
            row |= {"low": f"{low:.3f}", "high": f"{high:.3f}"}
    write_rows(DATA / "ranges.csv", ranges)
    write_rows(
        LEFT_OUT,
        [{**r.model_dump(), "median": f"{r.median:.4f}", "p90": f"{r.p90:.4f}"} for r in rows],
    )


def main() -> None:
    """Fit, report, and with --write store."""
    cases = all_cases()
    point = fit(cases)
    for name, at in point.items():
        print(f"{name:24} {value(name, at):10.4g}")
    unseen = errors_left_out({case.job.run.id: model_name(case) for case in cases})
    rows = report(
        {
            "in_sample": _by_run(cases, point),
            "model_left_out": unseen,
            "source_left_out": errors_left_out({c.job.run.id: c.job.run.group for c in cases}),
        }
    )
    for row in rows:
        print(f"{row.kind:16} {row.source or 'all runs':14} {row.runs:4} "
              f"median {row.median:6.1%}  p90 {row.p90:6.1%}")  # fmt: skip
    if "--write" in sys.argv[1:]:
        write(point, rows, unseen)


if __name__ == "__main__":
    main()
