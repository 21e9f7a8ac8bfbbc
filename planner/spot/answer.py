"""A job that somebody describes, answered: spot or on-demand, with what was assumed."""

from typing import NamedTuple

from planner.base import Frozen
from planner.notes import Note, note
from planner.query import Market
from planner.spot.interval import best_interval_hours
from planner.spot.job import SpotJob
from planner.spot.judge import judge
from planner.spot.rates import notice_seconds, rate_of

#: Seconds to save, and to boot a new machine and load a checkpoint, where nobody says. Assumed.
ASSUMED_SAVE_SECONDS = 60.0
ASSUMED_LOAD_SECONDS = 300.0


class Described(NamedTuple):
    """A job as described; None was not said. Hours, USD per hour for everything rented, seconds.

    `load_seconds` are those from a new machine's first second to the next step.
    """

    hours: float
    on_demand: float
    spot: float
    interruptions_per_hour: float | None = None
    outage_hours: float | None = None
    save_seconds: float | None = None
    load_seconds: float | None = None
    deadline_hours: float | None = None
    notice_seconds: float | None = None
    provider: str | None = None


class SpotAnswer(Frozen):
    """Spot or on-demand for one job.

    With a deadline the run changes to on-demand for good when its slack runs out: that is in the
    expected hours and dollars. `slack_hours` may be lost until then; `probability_in_time` is that
    of spot alone, None without a deadline. `break_even_interruptions_per_hour` is where the answer
    flips, None where no rate does it. `overhead_fraction` is the share of time spent on saving.
    """

    recommend: Market
    expected_hours_spot: float
    expected_usd_spot: float
    expected_usd_on_demand: float
    probability_in_time: float | None
    break_even_interruptions_per_hour: float | None
    checkpoint_interval_minutes: float
    overhead_fraction: float
    why: Note
    interruptions_per_hour: float
    slack_hours: float | None
    assumptions: tuple[Note, ...] = ()


def answer(described: Described, notes: tuple[Note, ...] = ()) -> SpotAnswer:
    """What to do with the job `described`; `notes` say how it was read."""
    job, assumed = _job(described)
    on_demand_usd = described.hours * described.on_demand
    judged = judge(job, on_demand_usd)
    interval = best_interval_hours(job)
    return SpotAnswer(
        recommend=judged.recommend,
        expected_hours_spot=judged.outcome.hours,
        expected_usd_spot=judged.outcome.usd,
        expected_usd_on_demand=on_demand_usd,
        probability_in_time=judged.outcome.chance_in_time,
        break_even_interruptions_per_hour=judged.break_even_rate,
        checkpoint_interval_minutes=interval * 60,
        overhead_fraction=job.save_hours / (interval + job.save_hours),
        why=judged.why,
        interruptions_per_hour=job.interruptions_per_hour,
        slack_hours=job.slack_hours,
        assumptions=(*notes, *assumed),
    )


def _job(said: Described) -> tuple[SpotJob, tuple[Note, ...]]:
    """The job with everything that was not said assumed, and notes of that."""
    rate = rate_of(said.provider or "*")
    notes: list[Note] = []

    def known(value: float | None, otherwise: float, assumption: Note) -> float:
        if value is None:
            notes.append(assumption)
        return otherwise if value is None else value

    job = SpotJob(
        hours=said.hours,
        spot_usd_per_hour=said.spot,
        on_demand_usd_per_hour=said.on_demand,
        interruptions_per_hour=known(
            said.interruptions_per_hour,
            rate.interruptions_per_hour,
            note(
                "spot.assumed_rate",
                times_per_hour=rate.interruptions_per_hour,
                source=rate.source,
                date=rate.source_date,
            ),
        ),
        outage_hours=known(
            said.outage_hours,
            rate.outage_hours,
            note(
                "spot.assumed_outage",
                outage_hours=rate.outage_hours,
                source=rate.source,
                date=rate.source_date,
            ),
        ),
        save_seconds=known(
            said.save_seconds,
            ASSUMED_SAVE_SECONDS,
            note("spot.assumed_save", seconds=round(ASSUMED_SAVE_SECONDS)),
        ),
        load_seconds=known(
            said.load_seconds,
            ASSUMED_LOAD_SECONDS,
            note("spot.assumed_load", seconds=round(ASSUMED_LOAD_SECONDS)),
        ),
        notice_seconds=_notice(said) or 0.0,
        deadline_hours=said.deadline_hours,
    )
    if job.saves_on_notice:
        notes.append(note("spot.saves_on_notice", seconds=round(job.notice_seconds)))
    return job, tuple(notes)


def _notice(said: Described) -> float | None:
    if said.notice_seconds is None and said.provider is not None:
        return notice_seconds(said.provider)
    return said.notice_seconds
