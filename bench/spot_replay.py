"""Replay the spot advice on traces of real spot machines.

    python -m bench.spot_replay FOLDER      a folder of skypilot-org/spot-traces files

Of each trace the first half teaches the interruption rate and the length of outages; jobs of 2 to
48 hours with tight and loose deadlines start in the second half and do as they are told. On spot a
job changes to on-demand for good when its slack runs out. What they cost is held against the best
in hindsight of always-on-demand and seven fixed intervals.
"""

import json
import math
import sys
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from planner.spot.interval import best_interval_hours
from planner.spot.job import SpotJob
from planner.spot.judge import judge

HOURS = (2, 4, 8, 12, 24, 48)
STRETCHES = (1.15, 1.5, 2.5)
SAVE_SECONDS = (20, 60, 180)
#: Spot price as a share of the on-demand price.
SHARES = (0.31, 0.78, 0.93)
FIXED_MINUTES = (5, 10, 20, 30, 60, 120, 240)
#: Seconds to boot again; loading takes as long as saving.
BOOT_SECONDS = 60
STARTS = 3
_CLOSE = 1e-9


class Trace(NamedTuple):
    """Hours in which a machine is up, over `hours` in all, and what the first half teaches."""

    name: str
    kind: str
    hours: float
    ups: tuple[tuple[float, float], ...]
    interruptions_per_hour: float
    outage_hours: float


class Ran(NamedTuple):
    """Hours on spot and on-demand, and from the start to the end."""

    spot_hours: float
    on_demand_hours: float
    hours: float

    def cost(self, share: float) -> float:
        """In hours of on-demand."""
        return self.spot_hours * share + self.on_demand_hours


def read_trace(path: Path) -> Trace:
    """A trace file: up where all of the instances it asks for are."""
    found = json.loads(path.read_text(encoding="utf-8"))
    tick, wanted = found["metadata"]["gap_seconds"] / 3600, max(found["data"])
    up = [count >= wanted for count in found["data"]]
    half = up[: len(up) // 2]
    taken = sum(a and not b for a, b in pairwise(half))
    outages = [end - start for start, end in stretches(half, False, tick)[1:-1]] or [1.0]
    return Trace(
        name=path.stem,
        kind=path.name.partition("_")[0],
        hours=len(up) * tick,
        ups=tuple(stretches(up, True, tick)),
        interruptions_per_hour=max(taken, 0.5) / max(sum(half) * tick, tick),
        outage_hours=fmean(outages),
    )


def stretches(up: list[bool], wanted: bool, tick: float) -> list[tuple[float, float]]:
    """Start and end, in hours, of every stretch of ticks that are `wanted`."""
    found, start = [], None
    for place, state in enumerate([*up, not wanted]):
        if state == wanted and start is None:
            start = place
        elif state != wanted and start is not None:
            found.append((start * tick, place * tick))
            start = None
    return found


def jobs(trace: Trace) -> Iterator[tuple[SpotJob, float]]:
    """Jobs and when they start; prices come later."""
    for hours in HOURS:
        for stretch in STRETCHES:
            first, last = trace.hours / 2, trace.hours - hours * stretch
            if last <= first:
                continue
            for save in SAVE_SECONDS:
                job = SpotJob(
                    hours=hours,
                    spot_usd_per_hour=0.0,
                    on_demand_usd_per_hour=1.0,
                    interruptions_per_hour=trace.interruptions_per_hour,
                    outage_hours=trace.outage_hours,
                    save_seconds=save,
                    load_seconds=BOOT_SECONDS + save,
                    deadline_hours=hours * stretch,
                )
                for k in range(STARTS):
                    yield job, first + (last - first) * k / (STARTS - 1)


class Replay:
    """One job on one trace, always on spot until it is done or its slack runs out."""

    def __init__(self, job: SpotJob, trace: Trace, start: float, interval_hours: float) -> None:
        self._job, self._interval = job, min(interval_hours, job.hours)
        self._ups = trace.ups
        self._start = self._clock = start
        self._saved = self._spot_hours = 0.0

    def run(self) -> Ran:
        """The hours it took."""
        place, is_first = bisect_right([end for _, end in self._ups], self._clock), True
        while self._saved < self._job.hours - _CLOSE:
            begin = max(self._clock, self._ups[place][0]) if place < len(self._ups) else math.inf
            if begin >= self._latest(is_first=False) - 2 * self._job.save_hours:
                return self._changed(is_first)
            self._clock, taken = begin, self._ups[place][1]
            if not is_first:
                self._spend(min(self._clock + self._job.load_hours, taken))
            is_first = False
            if self._work_until(taken):
                return self._changed(is_first)
            place += 1
        return Ran(self._spot_hours, 0.0, self._clock - self._start)

    def _latest(self, is_first: bool) -> float:
        """When on-demand must take over; nothing is to be loaded before the first hour."""
        load = 0.0 if is_first else self._job.load_hours
        left = self._job.hours - self._saved
        return self._start + (self._job.deadline_hours or math.inf) - left - load

    def _changed(self, is_first: bool) -> Ran:
        load = 0.0 if is_first else self._job.load_hours
        on_demand = self._job.hours - self._saved + load
        begin = min(max(self._clock, self._latest(is_first)), self._clock + 1e9)
        return Ran(self._spot_hours, on_demand, begin + on_demand - self._start)

    def _spend(self, until: float) -> None:
        until = max(self._clock, min(until, self._latest(is_first=False)))
        self._spot_hours += until - self._clock
        self._clock = until

    def _work_until(self, taken: float) -> bool:
        """Work and save until the machine is taken; true where the slack runs out first."""
        save = self._job.save_hours
        while self._clock < taken and self._saved < self._job.hours - _CLOSE:
            room = self._latest(is_first=False) - self._clock
            if room <= 2 * save:
                return True
            work = min(self._interval, self._job.hours - self._saved, room - save)
            end = self._clock + work + save
            if end > taken:
                self._spend(taken)
                return False
            self._spend(end)
            self._saved += work
        return False


class Row(NamedTuple):
    """What one job cost, in hours of on-demand, by policy."""

    kind: str
    share: float
    advised: float
    young: float
    hindsight: float
    interval: float
    best_fixed: float
    is_late: bool


def replay(trace: Trace) -> Iterator[Row]:
    """Every job of a trace at every price."""
    for job, start in jobs(trace):
        told = best_interval_hours(job)
        ours = Replay(job, trace, start, told).run()
        young_hours = math.sqrt(2 * job.save_hours / job.interruptions_per_hour)
        young = Replay(job, trace, start, young_hours).run()
        fixed = [Replay(job, trace, start, minutes / 60).run() for minutes in FIXED_MINUTES]
        for share in SHARES:
            found = judge(job._replace(spot_usd_per_hour=share), job.hours)
            on_spot = found.recommend == "spot"
            best_fixed = min(one.cost(share) for one in fixed)
            yield Row(
                kind=trace.kind,
                share=share,
                advised=ours.cost(share) if on_spot else job.hours,
                young=young.cost(share),
                hindsight=min(job.hours, best_fixed),
                interval=ours.cost(share),
                best_fixed=best_fixed,
                is_late=on_spot and ours.hours > (job.deadline_hours or math.inf) + 1e-6,
            )


def main() -> None:
    """Print how far the advice is from the best in hindsight."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m bench.spot_replay FOLDER")
    traces = [read_trace(path) for path in sorted(Path(sys.argv[1]).glob("*.json"))]
    rows = [row for trace in traces for row in replay(trace)]
    print(f"{len(traces)} traces, {len(rows)} jobs at a price, {sum(r.is_late for r in rows)} late")
    print(f"{'traces':14}{'spot at':>8}{'jobs':>7}{'advised':>9}{'Young':>8}{'interval':>10}")
    for kind in sorted({row.kind for row in rows}):
        for share in (None, *SHARES):
            some = [r for r in rows if r.kind == kind and share in (None, r.share)]
            advised = fmean(r.advised / r.hindsight for r in some) - 1
            young = fmean(r.young / r.hindsight for r in some) - 1
            interval = fmean(r.interval / r.best_fixed for r in some) - 1
            name = "all" if share is None else f"{share:.0%}"
            print(f"{kind:14}{name:>8}{len(some):>7}{advised:>9.1%}{young:>8.1%}{interval:>10.1%}")


if __name__ == "__main__":
    main()
