"""Tokens per second against public measurements: the errors that the product states of itself."""

import pytest

from planner.accuracy.left_out import left_out
from planner.accuracy.report import AccuracyReport
from planner.accuracy.speeds import job_of, measured_speeds, speed_accuracy
from planner.gpus import registry as gpus
from planner.speed.pace import speed


def test_every_measurement_maps_to_a_card_and_a_job() -> None:
    runs = measured_speeds()
    assert len({run.id for run in runs}) == len(runs) > 380
    assert sum(run.quality == "A" for run in runs) > 300
    for run in runs:
        assert gpus.get(run.gpu).bandwidth_gb_s
        assert run.source
        assert run.tokens_per_s_per_gpu > 0


def test_models_the_fit_has_not_seen_are_within_the_promise() -> None:
    """Median at most 20 %, nine of ten runs within 55 %, with the run's model left out of the
    fit.
    """
    report = speed_accuracy()
    assert report.median <= 0.20
    assert report.p90 <= 0.55
    assert isinstance(report.groups[0].runs, int)


def test_what_is_stored_is_what_the_shipped_figures_do() -> None:
    """The stored in-sample error of a source whose cards are all fitted is found again."""
    stored = {one.source: one for one in left_out("speed_left_out.csv") if one.kind == "in_sample"}
    now = {one.name: one for one in speed_accuracy().groups if one.by == "source"}
    for source in ("fms", "qwen1", "fsdpqlora"):
        assert now[source].median == pytest.approx(stored[source].median, abs=0.003)


def test_the_range_holds_nine_of_ten() -> None:
    assert speed_accuracy().inside_fraction >= 0.88


@pytest.mark.parametrize(
    ("run_id", "tokens_per_s"),
    [("qwen1-025", None), ("fsdpqlora-013", 89), ("fms-412", None)],
)
def test_single_rows_are_near(run_id: str, tokens_per_s: float | None) -> None:
    """Far from each other in size, card and layout: within a factor of 1.6."""
    run = next(one for one in measured_speeds() if one.id == run_id)
    job = job_of(run)
    found = speed(job.asked, job.setup, job.gpu, run.interconnect)
    assert found is not None
    measured = run.tokens_per_s_per_gpu * job.setup.workers
    if tokens_per_s is not None:
        assert run.tokens_per_s_per_gpu == pytest.approx(tokens_per_s, abs=1)
    assert measured / 1.6 < found.tokens_per_s < measured * 1.6


def test_speed_is_a_report_of_its_own() -> None:
    assert not set(speed_accuracy().model_dump()) >= set(AccuracyReport.model_fields)
