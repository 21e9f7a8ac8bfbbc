"""The measured speeds that stand behind tokens per second, and the errors of the estimate on them.

data/measured_speed.csv carries public measurements with their sources, read like those of memory.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from statistics import median
from typing import NamedTuple

from planner.accuracy.left_out import LeftOut, left_out
from planner.accuracy.report import GroupError
from planner.accuracy.runs import training_of
from planner.accuracy.score import percentile
from planner.base import Frozen
from planner.data_files import read_rows
from planner.gpus import registry as gpus
from planner.gpus.gpu import Gpu
from planner.memory.counts import count
from planner.memory.setup import Setup, settle
from planner.memory.stacks import as_built
from planner.models.architecture import Architecture
from planner.models.registry import resolve
from planner.query import Training
from planner.speed.pace import speed
from planner.speed.step import StepWork, step_work


class MeasuredSpeed(NamedTuple):
    """One measurement: tokens per second of each GPU, padding not counted. `sample_tokens` is the
    mean length of a sample where lengths vary.
    """

    id: str
    group: str
    model: str
    training: Training
    gpus: int
    gpu: str
    sample_tokens: int | None
    is_padded: bool
    tokens_per_s_per_gpu: float
    quality: str
    source: str

    @property
    def interconnect(self) -> str:
        """How its GPUs are joined: SXM cards by NVLink; the others of these sources are not."""
        return "nvlink" if "SXM" in self.gpu else "pcie"


class Job(NamedTuple):
    """A measured run, settled, and what it asks of each GPU."""

    run: MeasuredSpeed
    architecture: Architecture
    setup: Setup
    gpu: Gpu
    asked: StepWork


class ScoredSpeed(NamedTuple):
    """`error` is estimate / measured - 1; `is_inside` whether the range holds the measurement."""

    run: MeasuredSpeed
    error: float
    is_inside: bool


class SpeedReport(Frozen):
    """Errors of tokens per second on the quality-A runs, absolute, as fractions: `median` and
    `p90` over all runs under figures that were fitted without the run's model.
    `inside_fraction` is the share of runs within the range that is said. `groups` are the errors
    of the shipped figures; `left_out` those of fits that have not seen a run's model or source.
    """

    runs: int
    median: float
    p90: float
    inside_fraction: float
    groups: tuple[GroupError, ...]
    left_out: tuple[LeftOut, ...]


@cache
def measured_speeds() -> tuple[MeasuredSpeed, ...]:
    """Every run whose layout the estimator covers, in the order of the file."""
    return tuple(
        MeasuredSpeed(
            id=row["id"],
            group=row["source_group"],
            model=row["model"],
            training=training_of(row),
            gpus=int(row["gpus"] or 1),
            gpu=row["gpu"],
            sample_tokens=int(row["sample_tokens"]) if row["sample_tokens"] else None,
            is_padded=row["batches"] == "padded",
            tokens_per_s_per_gpu=float(row["tokens_per_s_per_gpu"]),
            quality=row["quality"],
            source=row["source"],
        )
        for row in read_rows("planner.accuracy", "measured_speed.csv")
    )


def job_of(run: MeasuredSpeed) -> Job:
    """`run` with nothing left open."""
    asked = resolve(run.model).architecture
    setup = settle(asked, run.training, gpus=run.gpus).setup
    architecture = as_built(asked, setup.profile)
    sample_tokens = run.sample_tokens
    if sample_tokens is not None and not run.is_padded:
        setup, sample_tokens = setup._replace(seq_len=sample_tokens), None
    step = step_work(architecture, count(architecture), setup, sample_tokens)
    return Job(run, architecture, setup, gpus.get(run.gpu), step)


def speed_accuracy() -> SpeedReport:
    """The report over every quality-A run."""
    scored = [_scored(job_of(run)) for run in measured_speeds() if run.quality == "A"]
    unseen = left_out("speed_left_out.csv")
    overall = next(one for one in unseen if (one.kind, one.source) == ("model_left_out", ""))
    return SpeedReport(
        runs=len(scored),
        median=overall.median,
        p90=overall.p90,
        inside_fraction=sum(one.is_inside for one in scored) / len(scored),
        groups=tuple(group for by, key in _GROUPS.items() for group in _errors(by, key, scored)),
        left_out=unseen,
    )


_GROUPS: dict[str, Callable[[MeasuredSpeed], str]] = {
    "all": lambda run: "speed",
    "source": lambda run: run.group,
    "method": lambda run: run.training.method,
    "gpu": lambda run: f"{run.gpus}x {run.gpu.split('-SXM')[0]}",
}


def _scored(job: Job) -> ScoredSpeed:
    found = speed(job.asked, job.setup, job.gpu, job.run.interconnect)
    if found is None:
        raise LookupError(f"no speed for {job.run.id}")
    measured = job.run.tokens_per_s_per_gpu * job.setup.workers
    inside = found.low <= measured <= found.high
    return ScoredSpeed(job.run, found.tokens_per_s / measured - 1, inside)


def _errors(
    by: str, key: Callable[[MeasuredSpeed], str], scored: Iterable[ScoredSpeed]
) -> list[GroupError]:
    groups: dict[str, list[float]] = {}
    for one in scored:
        groups.setdefault(key(one.run), []).append(one.error)
    return [group_error(by, name, errors) for name, errors in sorted(groups.items())]


def group_error(by: str, name: str, errors: Sequence[float]) -> GroupError:
    """The summary of `errors`, given with their signs."""
    sizes = sorted(abs(error) for error in errors)
    return GroupError(
        by=by,
        name=name,
        runs=len(sizes),
        median=median(sizes),
        p90=percentile(sizes, 0.9),
        worst=sizes[-1],
        bias=median(errors),
    )
