"""One query answered whole: verdict, options, spot, checkpoint, and what else would work."""

from datetime import datetime
from typing import NamedTuple

from planner.catalog.offer import Shape
from planner.gpus import registry as gpus
from planner.models.architecture import Architecture
from planner.notes import Note, note
from planner.plan import advice, alternatives, rank, saving, search
from planner.plan.costs import READY_HOURS
from planner.plan.judging import Judged, judge
from planner.plan.result import Alternative, CatalogFacts, CheckpointAdvice, Plan, SpotAdvice
from planner.plan.search import Candidate
from planner.plan.sizers import Sizers
from planner.plan.terms import provider_terms
from planner.plan.work import DEFAULT_GLOBAL_BATCH, Work, work
from planner.query import Market, Method, PlanQuery

#: What is planned when nobody names a method.
DEFAULT_METHOD: Method = "qlora"


class Prices(NamedTuple):
    """The catalog as the planner sees it: of both markets the shapes worth a look, and how old
    they are.
    """

    shapes: tuple[Shape, ...]
    facts: CatalogFacts

    def on(self, market: Market) -> tuple[Shape, ...]:
        """The shapes of one market."""
        return tuple(shape for shape in self.shapes if shape.market == market)


class _Job(NamedTuple):
    """The question with everything that is worked out once."""

    query: PlanQuery
    method: Method
    architecture: Architecture
    sizers: Sizers
    work: Work
    shapes: tuple[Shape, ...]


def plan(
    query: PlanQuery,
    architecture: Architecture,
    prices: Prices,
    now: datetime,
    same_name: tuple[str, ...] = (),
) -> Plan:
    """The answer to `query` about `architecture` at `prices`.

    `same_name` are SKUs that the typed card name could also have meant: where one of them decides
    otherwise, a warning says so. Raises BadInput for what cannot be estimated.
    """
    job = _job(query, architecture, prices)
    found = search.candidates(query, job.shapes, job.sizers.of, job.work)
    options = rank.best(found, now)
    chosen = rank.first_choice(found)
    beyond = _beyond_limits(job) if chosen is None else None
    judged = judge(query, job.sizers, chosen or (beyond if query.gpu is None else None))
    spot, checkpoint = _advice(job, prices, found, chosen)
    return Plan(
        query=query,
        seq_len=job.sizers.usual.seq_len,
        tokens=job.work.tokens,
        verdict=judged.sized.verdict,
        estimate=judged.sized.estimate,
        usable_gib=judged.usable_gib,
        options=options,
        spot=spot,
        checkpoint=checkpoint,
        provider_facts=provider_terms(chosen.offer.provider) if chosen else (),
        alternatives=_alternatives(job, judged),
        catalog=prices.facts,
        assumptions=_assumptions(job, chosen),
        warnings=(
            *judged.warnings,
            *_same_name_warnings(job, judged, same_name),
            *_offer_warnings(job, judged, chosen, beyond),
            *(_offered_of_same_name(job, same_name) if chosen is None else ()),
        ),
    )


def _job(query: PlanQuery, architecture: Architecture, prices: Prices) -> _Job:
    method = query.method or DEFAULT_METHOD
    global_batch = query.training.global_batch or DEFAULT_GLOBAL_BATCH
    sizers = Sizers(architecture, query.training_as(method), global_batch)
    return _Job(
        query=query,
        method=method,
        architecture=architecture,
        sizers=sizers,
        work=work(query, sizers.usual.seq_len, of_pictures=architecture.arch == "diffusion"),
        shapes=prices.on(query.market or "on_demand"),
    )


def _advice(
    job: _Job, prices: Prices, found: list[Candidate], chosen: Candidate | None
) -> tuple[SpotAdvice | None, CheckpointAdvice | None]:
    """Spot and checkpoint advice. Asked for spot, the chosen machine is compared with its own
    on-demand price. The checkpoint is that of the machine and market recommended in the end.
    """
    if chosen is None:
        return None, None
    query, deadline = job.query, job.query.deadline_hours
    if query.market == "spot":
        on_demand = chosen.offer.on_demand_usd_per_hour
        usd = None
        if on_demand is not None:
            dearer = on_demand * chosen.nodes - chosen.usd_per_hour
            cost = chosen.bill.cost
            usd = chosen.run_usd + dearer * (cost.billed_hours - cost.idle_hours)
        others = [one for one in search.preferred(found) if one is not chosen]
        ranked = [chosen, *advice.by_expected_cost(others, deadline)]
        spot = advice.spot_advice(ranked, usd, deadline)
        return spot, saving.checkpoint_advice(chosen, True, job.work)
    on_spot = search.candidates(query, prices.on("spot"), job.sizers.of, job.work)
    ranked = advice.by_expected_cost(search.preferred(on_spot), deadline, chosen)
    if not ranked:
        return None, saving.checkpoint_advice(chosen, False, job.work)
    spot = advice.spot_advice(ranked, chosen.run_usd, deadline, floor=chosen)
    if spot.recommend == "spot":
        return spot, saving.checkpoint_advice(ranked[0], True, job.work)
    return spot, saving.checkpoint_advice(chosen, False, job.work)


def _alternatives(job: _Job, judged: Judged) -> tuple[Alternative, ...]:
    if judged.sized.verdict == "does_not_fit":
        asked = job.query.training_as(job.method)
        return alternatives.smallest_changes(
            job.query, asked, job.architecture, job.shapes, job.work, judged
        )
    if job.query.method is None:
        return alternatives.other_methods(job.query, job.architecture, job.shapes, job.work)
    return ()


def _assumptions(job: _Job, chosen: Candidate | None) -> tuple[Note, ...]:
    notes = [*job.sizers.usual.assumptions, *job.work.assumptions]
    if job.query.method is None:
        notes.insert(0, note("plan.assumed_method", method=job.method))
    if chosen is not None:
        notes.append(_assumed_set_up(job, chosen))
        notes.append(note("plan.assumed_storage_rate"))
        if chosen.gpu_count > job.work.global_batch:
            notes.append(
                note("plan.batch_grows", gpu_count=chosen.gpu_count, sequences=chosen.gpu_count)
            )
        if job.architecture.arch == "diffusion":
            notes.append(note("plan.assumed_picture_speed"))
        if chosen.speed.is_assumed:
            notes.append(note("plan.assumed_efficiency", gpu=chosen.gpu.name))
    return tuple(notes)


def _assumed_set_up(job: _Job, chosen: Candidate) -> Note:
    """What the set-up is made of."""
    return note(
        "plan.assumed_set_up",
        minutes=round(READY_HOURS * 60),
        weights_gb=chosen.sized.download_gb,
        data_gb=job.work.data_gb,
    )


def _same_name_warnings(job: _Job, judged: Judged, same_name: tuple[str, ...]) -> tuple[Note, ...]:
    """Where another card of the typed name would change the verdict."""
    setup = judged.sized.setup
    per_node = max(1, setup.gpus // setup.nodes)
    found = []
    for name in same_name:
        other = gpus.get(name)
        verdict = job.sizers.on_named(other).size(per_node, setup.nodes, other.usable_gib).verdict
        if verdict == "does_not_fit" and judged.sized.verdict != "does_not_fit":
            found.append(note("plan.other_card_does_not_fit", gpu=other.name))
    return tuple(found[:1])


def _offered_of_same_name(job: _Job, same_name: tuple[str, ...]) -> tuple[Note, ...]:
    """The cheapest run on another card of the typed name, where the one taken is not on offer."""
    queries = [job.query.model_copy(update={"gpu": name}) for name in same_name]
    found = [
        rank.first_choice(search.candidates(query, job.shapes, job.sizers.of, job.work))
        for query in queries
    ]
    best = min((one for one in found if one), key=lambda one: one.usd_total, default=None)
    if best is None:
        return ()
    return (
        note(
            "plan.other_card_offered",
            gpu_count=best.gpu_count,
            gpu=best.gpu.name,
            provider=best.offer.provider,
            usd_per_hour=best.usd_per_hour,
            usd_total=best.usd_total,
            run_hours=best.hours,
        ),
    )


def _beyond_limits(job: _Job) -> Candidate | None:
    """What would be recommended if neither money nor time were limited."""
    return rank.first_choice(
        search.candidates(_without_limits(job.query), job.shapes, job.sizers.of, job.work)
    )


def _without_limits(query: PlanQuery) -> PlanQuery:
    return query.model_copy(
        update={"max_usd_per_hour": None, "max_usd_total": None, "deadline_hours": None}
    )


def _offer_warnings(
    job: _Job, judged: Judged, chosen: Candidate | None, beyond: Candidate | None
) -> tuple[Note, ...]:
    """Why there is nothing to rent although the job fits; `beyond` breaks a limit."""
    if chosen is not None:
        return _rental_warnings(job.query, chosen)
    if judged.sized.verdict == "does_not_fit":
        return ()
    named = job.query.gpu
    if named and not any(shape.offer.gpu == named for shape in job.shapes):
        return (note("plan.no_offer_of_card", gpu=named),)
    if beyond is None:
        return (_no_offer(job),)
    return (
        note(
            "plan.nothing_within_limits",
            gpu_count=beyond.gpu_count,
            gpu=beyond.gpu.name,
            provider=beyond.offer.provider,
            usd_per_hour=beyond.usd_per_hour,
            usd_total=beyond.usd_total,
            run_hours=beyond.hours,
        ),
    )


def _no_offer(job: _Job) -> Note:
    """Nothing matches: host RAM where that alone is why, as nobody typed a limit on it."""
    roomy = tuple(
        shape._replace(offer=shape.offer._replace(host_ram_gib=None)) for shape in job.shapes
    )
    free = _without_limits(job.query)
    best = rank.first_choice(search.candidates(free, roomy, job.sizers.of, job.work))
    needed = None if best is None else best.sized.estimate.host_ram_gib
    if best is None or needed is None:
        return note("plan.no_offer")
    return note(
        "plan.no_offer_with_ram", gpu_count=best.gpu_count, gpu=best.gpu.name, host_ram_gib=needed
    )


def _rental_warnings(query: PlanQuery, chosen: Candidate) -> tuple[Note, ...]:
    rented = query.rental_hours
    if rented is None:
        return ()
    if chosen.hours > rented:
        return (note("plan.rental_too_short", rental_hours=rented, run_hours=chosen.hours),)
    return (note("plan.rental_paid", rental_hours=rented, run_hours=chosen.hours),)
