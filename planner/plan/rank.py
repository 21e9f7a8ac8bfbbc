"""Which of the candidates to show: the cheapest run, the cheapest hour and the fastest, with the
trade named.
"""

from datetime import datetime

from planner.catalog.freshness import freshness
from planner.notes import Note, note
from planner.plan.result import Cost, Label, Option, StepTime
from planner.plan.search import Candidate, preferred

#: Two prices or times this close are the same to a reader.
_SAME = 1.02


def best(found: list[Candidate], now: datetime) -> tuple[Option, ...]:
    """Up to three options, the cheapest run first; a machine that wins twice appears once.

    What fits goes before what is tight: a tight machine is shown only where nothing fits.
    """
    first = first_choice(found)
    if first is None:
        return ()
    pool = preferred(found)
    chosen: list[tuple[Label, Candidate]] = [("cheapest_run", first)]
    cheapest_hour = min(pool, key=_by_hour)
    if cheapest_hour.usd_per_hour * _SAME < first.usd_per_hour:
        chosen.append(("cheapest_hour", cheapest_hour))
    fastest = min(pool, key=_by_time)
    if fastest.hours * _SAME < first.hours:
        chosen.append(("fastest", fastest))
    return tuple(_option(label, one, first, now) for label, one in chosen)


def first_choice(found: list[Candidate]) -> Candidate | None:
    """The machine to recommend: the cheapest run among those that fit."""
    return min(preferred(found), key=_by_run, default=None)


def _by_run(one: Candidate) -> tuple[float, float, str, str]:
    return (one.bill.compared_usd, one.hours, one.offer.provider, one.offer.instance_type)


def _by_hour(one: Candidate) -> tuple[float, float, str, str]:
    return (one.usd_per_hour, one.bill.compared_usd, one.offer.provider, one.offer.instance_type)


def _by_time(one: Candidate) -> tuple[float, float, str, str]:
    return (one.hours, one.bill.compared_usd, one.offer.provider, one.offer.instance_type)


def _option(label: Label, one: Candidate, first: Candidate, now: datetime) -> Option:
    setup, offer = one.sized.setup, one.offer
    return Option(
        label=label,
        provider=offer.provider,
        instance_type=offer.instance_type,
        gpu=one.gpu.name,
        gpu_count=one.gpu_count,
        nodes=one.nodes,
        interconnect=offer.interconnect,
        region=offer.region,
        market=one.market,
        usd_per_hour=one.usd_per_hour,
        hours=one.hours,
        usd_total=one.usd_total,
        hours_low=one.hours_at(one.speed.high),
        hours_high=one.hours_at(one.speed.low),
        tokens_per_s=one.speed.tokens_per_s,
        tokens_per_s_low=one.speed.low,
        tokens_per_s_high=one.speed.high,
        sharding=setup.sharding,
        micro_batch=setup.micro_batch,
        gradient_accumulation=one.sized.accumulation,
        gradient_checkpointing=setup.checkpointing,
        device_gib=one.sized.estimate.device_gib,
        headroom_gib=one.headroom_gib,
        host_ram_gib=one.sized.estimate.host_ram_gib,
        as_of=offer.as_of.isoformat() if offer.as_of else None,
        gathered_on=offer.gathered_on.isoformat() if offer.gathered_on else None,
        freshness=freshness(offer, now),
        cost=Cost(**one.bill.cost._asdict()),
        step=_step_time(one),
        why=_why(label, one, first),
    )


def _step_time(one: Candidate) -> StepTime:
    parts, setup = one.speed.parts, one.sized.setup
    return StepTime(
        tokens=one.sized.step.tokens,
        workers=setup.workers,
        arithmetic_s=parts.arithmetic,
        memory_s=parts.memory,
        kernels_s=parts.kernels,
        links_s=parts.links,
        host_s=parts.host,
        optimizer_s=parts.step,
        bound=one.speed.bound,
    )


def _why(label: Label, one: Candidate, first: Candidate) -> Note:
    if label == "cheapest_run":
        if one.speed.bound == "links":
            return note("plan.why_cheapest_run_links")
        return note("plan.why_cheapest_run")
    if label == "cheapest_hour":
        longer = one.hours / first.hours
        if one.speed.bound == "links":
            return note("plan.why_cheapest_hour_links", times_longer=longer)
        return note("plan.why_cheapest_hour", times_longer=longer)
    return note(
        "plan.why_fastest",
        times_price=one.usd_total / first.usd_total,
        times_faster=first.hours / one.hours,
    )
