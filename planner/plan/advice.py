"""Spot advice for the machine that is recommended."""

from planner import checkpoint, spot, units
from planner.notes import Note, note
from planner.plan.result import SpotAdvice
from planner.plan.search import Candidate

#: Spot must be expected to save at least this share to be worth its uncertainty.
WORTHWHILE_SAVING = 0.1


def best_on_spot(on_spot: list[Candidate]) -> Candidate | None:
    """The machine whose run is expected to cost least, interruptions included."""
    return min(on_spot, key=lambda one: (_expected(one).usd, one.hours), default=None)


def spot_advice(
    best: Candidate, on_demand_usd: float | None, deadline_hours: float | None
) -> SpotAdvice:
    """A run on the spot machine `best` against one that costs `on_demand_usd` undisturbed."""
    rate = spot.rate_of(best.offer.provider)
    outcome = _expected(best)
    late = deadline_hours is not None and outcome.hours > deadline_hours
    saves = on_demand_usd is None or outcome.usd < on_demand_usd * (1 - WORTHWHILE_SAVING)
    source = note("plan.rate_published", source=rate.source, date=rate.source_date)
    if rate.is_assumed:
        source = note("plan.rate_assumed", source=rate.source, date=rate.source_date)
    return SpotAdvice(
        provider=best.offer.provider,
        instance_type=best.offer.instance_type,
        gpu=best.gpu.name,
        gpu_count=best.gpu_count,
        nodes=best.nodes,
        usd_per_hour=best.usd_per_hour,
        recommend="spot" if saves and not late else "on_demand",
        expected_hours_spot=outcome.hours,
        expected_usd_spot=outcome.usd,
        expected_usd_on_demand=on_demand_usd,
        interruptions_per_hour=rate.interruptions_per_hour,
        rate_source=source,
        break_even_interruptions_per_hour=(
            None
            if on_demand_usd is None
            else spot.break_even_rate(_job(best), on_demand_usd - _undisturbed_usd(best))
        ),
        why=_why(outcome, on_demand_usd, late, saves),
    )


def _expected(one: Candidate) -> spot.Expected:
    """Hours from renting to the end, and all known costs, of a run on the spot machine `one`."""
    job = _job(one)
    rate = spot.rate_of(one.offer.provider).interruptions_per_hour
    trained = spot.expected(job, rate, spot.best_interval_hours(job, rate))
    set_up = one.bill.cost.setup_hours
    return spot.Expected(
        hours=set_up + trained.hours,
        billed_hours=set_up + trained.billed_hours,
        usd=trained.usd + _undisturbed_usd(one),
    )


def _undisturbed_usd(one: Candidate) -> float:
    """What a run on spot costs beside training: set-up, storage and egress."""
    cost = one.bill.cost
    return cost.setup_hours * one.usd_per_hour + cost.total_usd - cost.compute_usd


def _why(outcome: spot.Expected, on_demand_usd: float | None, late: bool, saves: bool) -> Note:
    if late:
        return note("plan.spot_too_late", expected_hours=outcome.hours)
    if on_demand_usd is None:
        return note("plan.spot_no_on_demand_price")
    if saves:
        return note("plan.spot_saves", saved_fraction=1 - outcome.usd / on_demand_usd)
    if outcome.usd >= on_demand_usd:
        return note("plan.spot_costs_more")
    return note("plan.spot_saves_little")


def _job(one: Candidate) -> spot.SpotJob:
    size = one.sized.checkpoint_gib
    weights_gib = units.gib(2.0 * one.sized.estimate.total_params)
    splits = one.nodes if one.sized.setup.sharding in ("fsdp", "zero3") else 1
    return spot.SpotJob(
        hours=one.training_hours,
        spot_usd_per_hour=one.usd_per_hour,
        outage_hours=spot.rate_of(one.offer.provider).outage_hours,
        save_seconds=checkpoint.write_seconds(size / one.nodes),
        load_seconds=checkpoint.load_seconds(size / one.nodes, weights_gib / splits),
    )
