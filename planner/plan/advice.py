"""Spot advice for the machine that is recommended."""

from bisect import bisect_right
from operator import itemgetter

from planner import checkpoint, units
from planner.notes import Note, note
from planner.plan.costs import READY_HOURS
from planner.plan.result import SpotAdvice
from planner.plan.search import Candidate
from planner.spot.deadline import outcome
from planner.spot.job import SpotJob
from planner.spot.judge import judge
from planner.spot.rates import notice_seconds, rate_of

#: How many machines to name that could be tried where the best one is not to be had.
FALLBACKS = 2


def by_expected_cost(
    on_spot: list[Candidate], deadline_hours: float | None, floor: Candidate | None = None
) -> list[Candidate]:
    """The machines whose runs are expected to cost least, interruptions and a change to on-demand
    included, as many as are named; those without room to change before the deadline come last.

    A run costs at least what its training would without an interruption: machines that are dearer
    than that are not worked out in full.
    """

    def no_room(one: Candidate) -> bool:
        slack = None if deadline_hours is None else _job(one, deadline_hours, floor).slack_hours
        return slack is not None and slack <= 0

    def least(one: Candidate) -> tuple[bool, float]:
        usd_per_hour = one.usd_per_hour
        if deadline_hours is not None:
            usd_per_hour = min(usd_per_hour, _on_demand_usd_per_hour(one, floor) or usd_per_hour)
        return no_room(one), one.training_hours * usd_per_hour + _undisturbed_usd(one)

    def cost(one: Candidate) -> tuple[bool, float, float]:
        usd = outcome(_job(one, deadline_hours, floor)).usd + _undisturbed_usd(one)
        return no_room(one), usd, one.hours

    best: list[Candidate] = []
    costs: list[tuple[bool, float, float]] = []
    for at_least, one in sorted(((least(one), one) for one in on_spot), key=itemgetter(0)):
        if len(best) > FALLBACKS and at_least > costs[FALLBACKS][:2]:
            break
        place = bisect_right(costs, of_one := cost(one))
        costs.insert(place, of_one)
        best.insert(place, one)
    return best[: FALLBACKS + 1]


def spot_advice(
    ranked: list[Candidate],
    on_demand_usd: float | None,
    deadline_hours: float | None,
    floor: Candidate | None = None,
) -> SpotAdvice:
    """A run on the first of the spot machines `ranked` against one that costs `on_demand_usd`
    undisturbed, on `floor` where that is another machine.
    """
    best = ranked[0]
    rate = rate_of(best.offer.provider)
    job = _job(best, deadline_hours, floor)
    beside = _undisturbed_usd(best)
    judged = judge(job, on_demand_usd, beside)
    found = judged.outcome
    return SpotAdvice(
        provider=best.offer.provider,
        instance_type=best.offer.instance_type,
        gpu=best.gpu.name,
        gpu_count=best.gpu_count,
        nodes=best.nodes,
        usd_per_hour=best.usd_per_hour,
        recommend=judged.recommend,
        expected_hours_spot=best.bill.cost.setup_hours + found.hours,
        expected_usd_spot=found.usd + beside,
        expected_usd_on_demand=on_demand_usd,
        spot_hours=found.spot_hours,
        changed_hours=found.on_demand_hours,
        on_demand_usd_per_hour=job.on_demand_usd_per_hour,
        beside_usd=beside,
        probability_in_time=found.chance_in_time,
        interruptions_per_hour=rate.interruptions_per_hour,
        rate_source=rate.said_by,
        break_even_interruptions_per_hour=judged.break_even_rate,
        why=judged.why,
        warnings=_warnings(job, ranked, floor),
    )


def _warnings(job: SpotJob, ranked: list[Candidate], floor: Candidate | None) -> tuple[Note, ...]:
    """That nobody knows whether the machine is to be had, what to try next, and what to fall back
    on; and what is expected of the notice.
    """
    best, *others = ranked
    found = [note("plan.spot_availability_unknown", provider=best.offer.provider)]
    if others:
        machines = tuple(_named(one) for one in others[:FALLBACKS])
        found.append(note("plan.spot_fallbacks", machines=machines))
    if floor is not None:
        found.append(
            note(
                "plan.spot_floor",
                machine=_named(floor),
                usd_per_hour=floor.usd_per_hour,
                usd_total=floor.run_usd,
            )
        )
    elif job.on_demand_usd_per_hour is not None:
        usd = job.on_demand_usd_per_hour
        found.append(note("plan.spot_floor_same", machine=_named(best), usd_per_hour=usd))
    if job.saves_on_notice:
        found.append(note("plan.spot_saves_on_notice", seconds=round(job.notice_seconds)))
    return tuple(found)


def _named(one: Candidate) -> str:
    place = f" {one.offer.region}" if one.offer.region else ""
    return f"{one.gpu_count}x {one.gpu.name} ({one.offer.provider}{place})"


def _undisturbed_usd(one: Candidate) -> float:
    """What a run on spot costs beside training: set-up, storage and egress."""
    cost = one.bill.cost
    return cost.setup_hours * one.usd_per_hour + cost.total_usd - cost.compute_usd


def _job(one: Candidate, deadline_hours: float | None, floor: Candidate | None) -> SpotJob:
    """The training on the spot machine `one`; its set-up comes out of the deadline."""
    size = one.sized.checkpoint_gib
    weights_gib = units.gib(2.0 * one.sized.estimate.total_params)
    splits = one.nodes if one.sized.setup.sharding in ("fsdp", "zero3") else 1
    rate = rate_of(one.offer.provider)
    loading = checkpoint.load_seconds(size / one.nodes, weights_gib / splits)
    return SpotJob(
        hours=one.training_hours,
        spot_usd_per_hour=one.usd_per_hour,
        on_demand_usd_per_hour=_on_demand_usd_per_hour(one, floor),
        interruptions_per_hour=rate.interruptions_per_hour,
        outage_hours=rate.outage_hours,
        save_seconds=checkpoint.write_seconds(size / one.nodes),
        load_seconds=READY_HOURS * 3600 + loading,
        notice_seconds=notice_seconds(one.offer.provider) or 0.0,
        deadline_hours=(
            None if deadline_hours is None else deadline_hours - one.bill.cost.setup_hours
        ),
    )


def _on_demand_usd_per_hour(one: Candidate, floor: Candidate | None) -> float | None:
    """The price of changing to the same GPUs on-demand: of the machine itself, else of `floor`."""
    own = one.offer.on_demand_usd_per_hour
    if own is not None:
        return own * one.nodes
    alike = floor is not None and (floor.gpu, floor.gpu_count) == (one.gpu, one.gpu_count)
    return floor.usd_per_hour if floor is not None and alike else None
