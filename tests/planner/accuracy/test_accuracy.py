"""The product's own error: every shipped run is estimated, and what is promised about it holds."""

import pytest

from planner.accuracy.left_out import KINDS
from planner.accuracy.report import accuracy
from planner.accuracy.runs import measured_runs, vision_runs
from planner.accuracy.score import percentile, score, summaries


def test_every_run_has_a_source_and_is_estimated() -> None:
    runs = measured_runs()
    assert len(runs) > 500
    assert len({run.id for run in runs}) == len(runs)
    for run in runs:
        assert run.source
        assert run.estimated().peak_gib > 0


def test_hf_trl_runs_are_within_a_few_per_cent() -> None:
    """The stack taken by default, on the largest source: 162 runs, allocated memory."""
    runs = [run for run in measured_runs() if run.group == "fms" and run.quality == "A"]
    (summary,) = summaries(score(runs), lambda run: run.group)
    assert summary.runs == 162
    assert summary.median <= 0.025
    assert summary.p90 <= 0.09


@pytest.mark.parametrize(
    ("source", "least_runs", "median", "p90"),
    [("litgpt-hub", 18, 0.01, 0.03), ("litgpt-rt", 27, 0.01, 0.04)],
)
def test_litgpt_runs_are_within_a_few_per_cent(
    source: str, least_runs: int, median: float, p90: float
) -> None:
    """LoRA, QLoRA, both LLaMA-Adapters and full fine-tuning, on one GPU and under FSDP."""
    runs = [run for run in measured_runs() if run.group == source and run.quality == "A"]
    (summary,) = summaries(score(runs), lambda run: run.group)
    assert summary.runs >= least_runs
    assert summary.median <= median
    assert summary.p90 <= p90


def test_no_run_that_ran_out_of_memory_is_said_to_fit() -> None:
    """None of those that state everything, at most 5 % of those where something was assumed."""
    stated, assumed = accuracy().verdicts
    assert stated.oom_runs > 0
    assert stated.oom_called_fits == ()
    assert assumed.oom_runs > 50
    assert len(assumed.oom_called_fits) <= 0.05 * assumed.oom_runs


def test_runs_that_ran_are_not_refused() -> None:
    """A full card makes PyTorch give its slack back: the low end must not count on slack."""
    stated, _ = accuracy().verdicts
    assert stated.ran_runs > 300
    assert len(stated.ran_called_too_big) <= 0.02 * stated.ran_runs


def test_the_range_holds_what_it_says() -> None:
    report = accuracy()
    assert report.inside_runs > 150
    assert report.inside_fraction >= 0.88


def test_a_percentile_lies_between_its_neighbours() -> None:
    assert percentile([0.0, 1.0, 2.0, 3.0], 0.5) == 1.5
    assert percentile([7.0], 0.9) == 7.0


def test_an_estimate_inside_what_a_figure_stands_for_is_no_error() -> None:
    run = next(run for run in measured_runs() if run.counter == "unknown" and run.quality == "A")
    exact = run.estimated()
    widened = run._replace(low_gib=exact.device_gib - 1, high_gib=exact.device_gib + 1)
    assert score([widened])[0].error == 0.0
    doubled = run._replace(low_gib=exact.device_gib * 2, high_gib=exact.device_gib * 2)
    assert score([doubled])[0].error == pytest.approx(-0.5)


def test_errors_left_out_stand_beside_those_in_sample() -> None:
    """Every source that is scored, under every kind of fit; what was fitted on is current."""
    report = accuracy()
    found = {(one.kind, one.source): one for one in report.left_out}
    scored = {one.name: one for one in report.groups if one.by == "source" and one.runs >= 5}
    for kind in KINDS:
        assert {source for at, source in found if at == kind} == {"", *scored}
    assert found["in_sample", ""].median == pytest.approx(report.median, abs=0.002)
    assert found["in_sample", ""].p90 == pytest.approx(report.p90, abs=0.005)
    for name, summary in scored.items():
        assert found["in_sample", name].runs == summary.runs
        assert found["in_sample", name].median == pytest.approx(summary.median, abs=0.005)


def test_vision_runs_have_sources_and_stand_apart() -> None:
    """They count in none of the main figures, whatever their errors are."""
    runs = vision_runs()
    assert len(runs) > 30
    assert not {run.id for run in runs} & {run.id for run in measured_runs()}
    for run in runs:
        assert run.source
        assert run.estimated().peak_gib > 0
    report = accuracy()
    assert report.runs == sum(run.quality == "A" for run in measured_runs())
    assert {one.name for one in report.vision if one.by == "source"} == {
        run.group for run in runs if run.quality == "A"
    }


def test_vision_runs_are_within_fifteen_per_cent() -> None:
    """Half of the quality-A runs; those of equal lengths much closer."""
    found = {(one.by, one.name): one for one in accuracy().vision}
    assert found["all", "vision"].runs >= 20
    assert found["all", "vision"].median <= 0.15
    assert found["source", "peftimg"].median <= 0.1
    assert found["lengths", "equal"].median <= 0.1
    assert found["lengths", "equal"].worst <= 0.25


def test_padding_free_batches_hold_samples_of_varying_lengths() -> None:
    found = {run.id: run.training.packing for run in vision_runs()}
    assert found["swiftex-077"] is False
    assert found["swiftex-124"] is True
