"""The search: every machine in the catalog against every layout, in time and money."""

from collections.abc import Callable
from typing import NamedTuple

from planner.catalog.offer import Offer, Shape
from planner.gpus import registry as gpus
from planner.gpus.gpu import Gpu
from planner.plan.costs import Bill, bill
from planner.plan.sizing import Paced, Sized, Sizer
from planner.plan.work import Work
from planner.query import Market, PlanQuery
from planner.speed.pace import Speed

#: Node counts tried where machines are joined by a fabric and one is not enough.
NODE_COUNTS = (1, 2, 3, 4, 6, 8, 16)
_FABRICS = ("infiniband", "efa", "rdma")

#: Gives the sizer for a card, or None where the card cannot compute what was asked for.
SizerFor = Callable[[Gpu], Sizer | None]


class Candidate(NamedTuple):
    """One machine, or several of one kind, that runs the job. Money and hours are for the whole
    run.
    """

    offer: Offer
    gpu: Gpu
    nodes: int
    market: Market
    usd_per_hour: float
    sized: Sized
    speed: Speed
    bill: Bill

    @property
    def hours(self) -> float:
        """From renting the machine to the last save."""
        return self.bill.cost.hours

    def hours_at(self, tokens_per_s: float) -> float:
        """The same at another speed: set-up and saves take as long."""
        slower = self.speed.tokens_per_s / tokens_per_s - 1
        return self.hours + self.training_hours * slower

    @property
    def training_hours(self) -> float:
        """Of these, those that the GPUs train."""
        return self.bill.cost.training_hours

    @property
    def usd_total(self) -> float:
        """All that is known to be paid for the run."""
        return self.bill.cost.total_usd

    @property
    def run_usd(self) -> float:
        """What is known to be paid if the machine is given back when the run is done."""
        return self.usd_total - self.bill.cost.idle_hours * self.usd_per_hour

    @property
    def gpu_count(self) -> int:
        """GPUs over all nodes."""
        return self.offer.gpu_count * self.nodes

    @property
    def headroom_gib(self) -> float:
        """What is left on each card."""
        return self.gpu.usable_gib - self.sized.estimate.device_gib


def joins_nodes(interconnect: str) -> bool:
    """Whether several machines of this kind are joined by a fast fabric."""
    return any(fabric in interconnect.lower() for fabric in _FABRICS)


def is_the_card(query: PlanQuery, gpu: Gpu) -> bool:
    """Whether `gpu` is the card, or of the memory, that the query names."""
    if query.gpu is not None:
        return gpu.name == query.gpu
    return query.vram_gib is None or gpus.has_memory(gpu, query.vram_gib)


def candidates(
    query: PlanQuery, shapes: tuple[Shape, ...], sizer_for: SizerFor, job: Work
) -> list[Candidate]:
    """Of every provider the cheapest machine of every kind in `shapes` on which the job runs within
    the limits.

    Machines are multiplied only where they have a fabric and one alone does not hold the job. A
    dearer machine of a kind is looked at only where the cheaper ones break a limit.
    """
    holding: dict[tuple[str, int, str], list[tuple[int, Paced]]] = {}
    found: dict[tuple[str, str, int, str], Candidate] = {}
    for shape in sorted(shapes, key=lambda one: one.usd_per_hour):
        offer = shape.offer
        kind = (offer.gpu, offer.gpu_count, offer.interconnect)
        if kind not in holding:
            holding[kind] = _machines_that_hold(query, offer, sizer_for, job)
        here = (offer.provider, *kind)
        if not holding[kind] or here in found:
            continue
        priced = (_candidate(query, shape, nodes, paced, job) for nodes, paced in holding[kind])
        within = preferred([one for one in priced if _within_limits(query, one)])
        if within:
            found[here] = within[0]
    return list(found.values())


def preferred(found: list[Candidate]) -> list[Candidate]:
    """Those that fit; where nothing does, those that are tight, with room by the estimate first."""
    fitting = [one for one in found if one.sized.verdict == "fits"]
    return fitting or [one for one in found if one.headroom_gib >= 0] or found


def _machines_that_hold(
    query: PlanQuery, offer: Offer, sizer_for: SizerFor, job: Work
) -> list[tuple[int, Paced]]:
    """One machine of the kind of `offer`, two, three and so on, as far as the job fits there or is
    tight, each with its fastest layout.

    Further machines are tried only until one count fits; under a deadline more may be faster.
    """
    gpu = gpus.get(offer.gpu)
    sizer = sizer_for(gpu) if is_the_card(query, gpu) else None
    holding: list[tuple[int, Paced]] = []
    if sizer is None:
        return holding
    for nodes in _node_counts(query, offer):
        if query.gpu_count is None and not _divides(offer.gpu_count * nodes, job):
            continue
        paced = sizer.fastest(offer.gpu_count, nodes, gpu, offer.interconnect)
        if paced is not None:
            holding.append((nodes, paced))
            if paced.sized.verdict == "fits" and query.deadline_hours is None:
                break
    return holding


def _divides(gpu_count: int, job: Work) -> bool:
    """Whether `gpu_count` GPUs share the global batch evenly; more GPUs than sequences enlarge
    it.
    """
    return gpu_count >= job.global_batch or job.global_batch % gpu_count == 0


def _node_counts(query: PlanQuery, offer: Offer) -> tuple[int, ...]:
    """How many of these machines to try: what was asked for, several only where a fabric joins
    them.
    """
    counts: tuple[int, ...] = NODE_COUNTS if query.nodes is None else (query.nodes,)
    if query.gpu_count is not None:
        nodes, left_over = divmod(query.gpu_count, offer.gpu_count)
        as_asked = nodes > 0 and not left_over and query.nodes in (None, nodes)
        counts = (nodes,) if as_asked else ()
    joined = joins_nodes(offer.interconnect)
    return tuple(nodes for nodes in counts if nodes == 1 or joined)


def _candidate(query: PlanQuery, shape: Shape, nodes: int, paced: Paced, job: Work) -> Candidate:
    offer = shape.offer
    usd_per_hour = shape.usd_per_hour * nodes
    training_hours = job.tokens / paced.speed.tokens_per_s / 3600
    return Candidate(
        offer=offer,
        gpu=gpus.get(offer.gpu),
        nodes=nodes,
        market="spot" if shape.market == "spot" else "on_demand",
        usd_per_hour=usd_per_hour,
        sized=paced.sized,
        speed=paced.speed,
        bill=bill(
            offer.provider, paced.sized, job, usd_per_hour, training_hours, query.rental_hours
        ),
    )


def _within_limits(query: PlanQuery, one: Candidate) -> bool:
    """Budget, deadline and host RAM. RAM that the catalog does not know is not held against an
    offer.
    """
    needed_ram, has_ram = one.sized.estimate.host_ram_gib, one.offer.host_ram_gib
    return (
        (query.max_usd_per_hour is None or one.usd_per_hour <= query.max_usd_per_hour)
        and (query.max_usd_total is None or one.usd_total <= query.max_usd_total)
        and (query.deadline_hours is None or one.hours <= query.deadline_hours)
        and (needed_ram is None or has_ram is None or needed_ram <= has_ram)
    )
