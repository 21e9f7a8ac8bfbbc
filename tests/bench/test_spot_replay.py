"""The replay's own engine, on traces small enough to follow by hand."""

import json
from pathlib import Path

import pytest

from bench.spot_replay import Replay, Trace, read_trace
from planner.spot.job import SpotJob

JOB = SpotJob(
    hours=2.0,
    spot_usd_per_hour=0.0,
    on_demand_usd_per_hour=1.0,
    interruptions_per_hour=0.5,
    outage_hours=1.0,
    save_seconds=360.0,
    load_seconds=720.0,
    deadline_hours=100.0,
)


def trace(*ups: tuple[float, float]) -> Trace:
    return Trace("made", "availability", 200.0, ups, 0.5, 1.0)


def test_a_run_that_nothing_interrupts_works_and_saves() -> None:
    """Two hours of work in segments of one, a save of a tenth after each."""
    ran = Replay(JOB, trace((0.0, 100.0)), 0.0, 1.0).run()
    assert ran == (pytest.approx(2.2), 0.0, pytest.approx(2.2))


def test_an_interruption_loses_what_is_not_saved_and_loads_again() -> None:
    """Saved at 1.1; taken at 2.0 with 0.9 unsaved; back at 3.0, 0.2 to load, 1.1 to the end."""
    ran = Replay(JOB, trace((0.0, 2.0), (3.0, 100.0)), 0.0, 1.0).run()
    assert ran.hours == pytest.approx(3.0 + 0.2 + 1.1)
    assert ran.spot_hours == pytest.approx(2.0 + 0.2 + 1.1)
    assert ran.on_demand_hours == 0.0


def test_slack_that_runs_out_in_an_outage_ends_on_demand_in_time() -> None:
    """Deadline 4: saved 1 h at 1.1, then gone for good. On-demand needs 1 + 0.2 hours."""
    job = JOB._replace(deadline_hours=4.0)
    ran = Replay(job, trace((0.0, 1.5)), 0.0, 1.0).run()
    assert ran.on_demand_hours == pytest.approx(1.2)
    assert ran.hours <= 4.0


def test_spot_that_never_comes_is_not_waited_for() -> None:
    ran = Replay(JOB._replace(deadline_hours=3.0), trace((90.0, 95.0)), 0.0, 1.0).run()
    assert (ran.spot_hours, ran.on_demand_hours) == (0.0, 2.0)
    assert ran.hours <= 3.0


def test_a_trace_is_up_where_all_its_instances_are(tmp_path: Path) -> None:
    path = tmp_path / "preemption_2-node.json"
    data = [2, 2, 1, 1, 2, 2, 2, 0, 2, 2, 2, 2]
    path.write_text(json.dumps({"metadata": {"gap_seconds": 3600}, "data": data}))
    found = read_trace(path)
    assert found.kind == "preemption"
    assert found.ups == ((0, 2), (4, 7), (8, 12))
    assert found.interruptions_per_hour == pytest.approx(1 / 4)
