"""Fit what a stack's profile leaves open to the measured runs, and say how well that generalises.

    python -m bench.fit_stacks           prints the fitted figures, and the errors in sample, with
                                         each model left out and with each source left out
    python -m bench.fit_stacks --write   also writes them to planner/memory/data/ and
                                         planner/accuracy/data/left_out.csv

Formulas are not fitted. What is: the few figures of FIGURES, per stack, by least absolute
deviations of log(estimate / measured), sources weighing the same, each drawn a little towards what
it is over all stacks. A figure that no run speaks of stays there.
"""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import combinations, product
from math import log
from typing import NamedTuple

from bench.fitted_files import write_figures, write_intervals, write_left_out
from planner.accuracy.left_out import Kind, LeftOut
from planner.accuracy.runs import MeasuredRun, measured_runs
from planner.accuracy.score import LEAST_RUNS, Scored, over_sources, score, summaries
from planner.memory import overheads
from planner.memory.counts import Counts, count
from planner.memory.estimate import LEAST_CONTEXT_GIB, estimate_setup
from planner.memory.result import MemoryEstimate
from planner.memory.setup import Setup, settle
from planner.memory.stacks import Overheads, as_built
from planner.models.architecture import Architecture
from planner.models.registry import resolve
from planner.units import GIB, gib


class Figure(NamedTuple):
    """A fitted figure: its least and largest sensible value, and where a fit starts."""

    least: float
    largest: float
    start: float

    @property
    def range(self) -> float:
        """From the least to the largest value."""
        return self.largest - self.least

    def within(self, value: float) -> float:
        """`value`, or the limit it passes."""
        return min(self.largest, max(self.least, value))


#: Figures of overheads.csv, by layout.
OVERHEADS = {
    "context_gib": Figure(0.5, 5.0, 0.9),
    "reserved_ratio": Figure(1.0, 1.3, 1.07),
    "bytes_per_logit": Figure(0.0, 40.0, 4.0),
    "varying_bytes_per_logit": Figure(0.0, 40.0, 4.0),
}
#: Figures of stacks.csv.
PROFILE = {
    "zero_buffers_gib": Figure(0.0, 4.0, 1.5),
    "adapter_working_bytes": Figure(0.0, 12.0, 0.0),
    "compiled_activations": Figure(0.6, 1.0, 0.8),
}
FIGURES = OVERHEADS | PROFILE
#: All stacks together.
EVERY = "*"
#: The first so many of OVERHEADS are alike enough to be shared; what logits leave is a stack's own.
SHARED = 2
#: What moving a figure through its whole range costs.
DRAW = 0.005
SMALLEST_STEP = 1 / 200
UNKNOWN_COUNTER_TOLERANCE = 0.15

#: (stack, layout, name) -> value; the layout is blank for figures of the profile.
Key = tuple[str, str, str]
Figures = dict[Key, float]
_KEPT: dict[tuple[object, ...], float] = {}


class Counters(NamedTuple):
    """What torch's counters and the driver's would show, in GiB."""

    allocated: float
    reserved: float
    device: float


class Case(NamedTuple):
    """A measured run, settled."""

    run: MeasuredRun
    architecture: Architecture
    counts: Counts
    setup: Setup

    @property
    def stack(self) -> str:
        """Whose profile it uses."""
        return self.setup.profile.stack


@cache
def all_cases() -> tuple[Case, ...]:
    """Every quality-A run."""
    return tuple(_case(run) for run in measured_runs() if run.quality == "A")


def _case(run: MeasuredRun) -> Case:
    asked = resolve(run.model).architecture
    setup = settle(asked, run.training, gpus=run.gpus).setup
    architecture = as_built(asked, setup.profile)
    return Case(run, architecture, count(architecture), setup)


def set_up(case: Case, figures: Figures, shared: bool = False) -> Setup:
    """The job of `case` with `figures`: its stack's, or (`shared`) those of all stacks."""

    def figure(name: str, layout: str) -> float:
        own = (case.stack, layout, name)
        found = (EVERY, layout, name) if shared or own not in figures else own
        return figures.get(found, FIGURES[name].start)

    return case.setup._replace(
        overheads=Overheads(**{name: figure(name, case.setup.layout) for name in OVERHEADS}),
        profile=case.setup.profile._replace(
            **{name: figure(name, "") for name in PROFILE}  # type: ignore[arg-type]  # all floats
        ),
    )


def counters(case: Case, figures: Figures, shared: bool) -> Counters:
    """What each counter would show."""
    setup = set_up(case, figures, shared)
    allocated = _allocated(case, setup) * GIB
    logits = setup.tokens * (case.architecture.vocab or 0)
    reserved = gib(allocated + overheads.slack_bytes(allocated, logits, setup))
    device = reserved + gib(overheads.context_bytes(setup))
    usable = case.run.usable_gib
    if usable is not None and device > usable >= gib(allocated) + LEAST_CONTEXT_GIB:
        reserved, device = min(reserved, usable - LEAST_CONTEXT_GIB), usable
    return Counters(gib(allocated), reserved, device)


def _allocated(case: Case, setup: Setup) -> float:
    """GiB allocated, kept from one trial to the next: overheads do not change it."""
    key = (case.run.id, *(getattr(setup.profile, name) for name in PROFILE))
    if key not in _KEPT:
        _KEPT[key] = estimate_setup(case.architecture, case.counts, setup).allocated_gib
    return _KEPT[key]


def deviation(case: Case, found: Counters) -> float:
    """|log(estimate / measured)| of the run's own counter, and of the device figure if it has
    both.
    """
    run, middle, total = case.run, case.run.middle_gib, 0.0
    if middle is not None and not run.ran_out_of_memory:
        said = found._asdict().get(run.counter)
        if said is not None:
            total += abs(log(said / middle))
        else:
            nearest = min(abs(log(value / middle)) for value in found)
            total += max(0.0, nearest - UNKNOWN_COUNTER_TOLERANCE)
    if run.device_gib is not None and run.counter != "device":
        total += abs(log(found.device / run.device_gib))
    return total


def fit(cases: Sequence[Case]) -> Figures:
    """The overheads of all stacks together, then each stack's figures starting from them.

    Sources of a few runs take no part.
    """
    rows = Counter(case.run.group for case in cases)
    cases = [case for case in cases if rows[case.run.group] >= LEAST_RUNS]
    found: Figures = {}
    for layout in ("single", "several"):
        keys = [(EVERY, layout, name) for name in OVERHEADS]
        found |= {key: OVERHEADS[key[2]].start for key in keys}
        _descend(found, keys[:SHARED], [case for case in cases if case.setup.layout == layout])
    for stack in sorted({case.stack for case in cases}):
        own = [case for case in cases if case.stack == stack]
        keys = [(stack, "", name) for name in PROFILE]
        for layout in sorted({case.setup.layout for case in own}):
            keys += [(stack, layout, name) for name in OVERHEADS]
        found |= {key: found.get((EVERY, *key[1:]), FIGURES[key[2]].start) for key in keys}
        _descend(found, keys, own)
    return found


def _descend(figures: Figures, keys: Sequence[Key], cases: Sequence[Case]) -> None:
    """Move one figure, or two of a layout at once, while the loss falls; the step halves when no
    move helps.
    """
    starts, rows = dict(figures), Counter(case.run.group for case in cases)

    def loss() -> float:
        errors = sum(
            deviation(case, counters(case, figures, shared=keys[0][0] == EVERY))
            / rows[case.run.group]
            for case in cases
        )
        moved = sum(abs(figures[key] - starts[key]) / FIGURES[key[2]].range for key in keys)
        return errors + DRAW * moved

    moves: list[tuple[Key, ...]] = [(key,) for key in keys]
    moves += [(a, b) for a, b in combinations(keys, 2) if a[1] == b[1] != ""]
    step, least = 1 / 8, loss() if cases else 0.0
    while step > SMALLEST_STEP and cases:
        before = least
        for move in moves:
            for signs in product((-step, step), repeat=len(move)):
                kept = {key: figures[key] for key in move}
                for key, sign in zip(move, signs, strict=True):
                    figures[key] = FIGURES[key[2]].within(kept[key] + sign * FIGURES[key[2]].range)
                tried = loss()
                if tried < least - 1e-9:
                    least = tried
                else:
                    figures.update(kept)
        if least == before:
            step /= 2


def scored(cases: Sequence[Case], figures: Figures) -> list[Scored]:
    """The cases with their errors under `figures`."""
    by_id = {case.run.id: case for case in cases}

    def estimated(run: MeasuredRun) -> MemoryEstimate:
        case = by_id[run.id]
        return run.shown(estimate_setup(case.architecture, case.counts, set_up(case, figures)))

    return score((case.run for case in cases), estimated)


def left_out(what: Mapping[str, str]) -> list[Scored]:
    """Every case scored under figures that were fitted without its kind; `what` maps a run's id
    to its kind.
    """
    kinds = sorted(set(what.values()))
    with ProcessPoolExecutor() as pool:
        parts = pool.map(_score_left_out, [what] * len(kinds), kinds)
        return [one for part in parts for one in part]


def _score_left_out(what: Mapping[str, str], kind: str) -> list[Scored]:
    cases = all_cases()
    out = [case for case in cases if what[case.run.id] == kind]
    return scored(out, fit([case for case in cases if what[case.run.id] != kind]))


def report(found: Mapping[Kind, Sequence[Scored]]) -> list[LeftOut]:
    """Errors per source and over sources, by what was left out of the fit."""
    rows = []
    for kind, runs in found.items():
        median, p90 = over_sources(runs)
        rows.append(LeftOut(kind=kind, source="", runs=len(runs), median=median, p90=p90))
        rows += [
            LeftOut(kind=kind, source=one.name, runs=one.runs, median=one.median, p90=one.p90)
            for one in summaries(runs, lambda run: run.group)
            if one.runs >= LEAST_RUNS
        ]
    return rows


def main() -> None:
    """Fit, report, and with --write store."""
    cases = all_cases()
    figures = fit(cases)
    found: dict[Kind, list[Scored]] = {
        "in_sample": scored(cases, figures),
        "model_left_out": left_out({case.run.id: case.architecture.hf_id for case in cases}),
        "source_left_out": left_out({case.run.id: case.run.group for case in cases}),
    }
    for (stack, layout, name), value in sorted(figures.items()):
        print(f"{stack:12} {layout:8} {name:24} {value:8.3f}")
    rows = report(found)
    for row in rows:
        print(f"{row.kind:16} {row.source or 'over sources':14} {row.runs:4} "
              f"median {row.median:6.1%}  p90 {row.p90:6.1%}")  # fmt: skip
    if "--write" in sys.argv[1:]:
        runs = Counter((case.stack, case.setup.layout) for case in cases)
        write_figures(figures, runs)
        write_intervals(found["model_left_out"], found["source_left_out"])
        write_left_out(rows)


if __name__ == "__main__":
    main()
