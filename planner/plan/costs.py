"""What a run costs beside its training hours: set-up, saves, billing steps, storage, egress."""

from functools import cache
from typing import NamedTuple

from planner.catalog.providers import facts_providers
from planner.catalog.tariffs import Tariff, tariff
from planner.checkpoint import (
    ASSUMED_FAILURES_PER_HOUR,
    KEEP_LAST,
    link_hours,
    write_seconds,
)
from planner.plan.result import UnknownCost
from planner.plan.sizing import Sized
from planner.plan.work import Work
from planner.spot.interval import daly_interval_hours
from planner.units import GB, GIB

#: Hours from renting a machine to its first download: booting, drivers, packages. Assumed.
READY_HOURS = 5 / 60
HOURS_PER_MONTH = 730.0


class Costs(NamedTuple):
    """What `planner.plan.result.Cost` says, worked out for every machine that is looked at."""

    setup_hours: float
    moved_gb: float
    training_hours: float
    saving_hours: float
    saves: int
    save_seconds: float
    stored_gb: float
    result_gb: float
    billed_hours: float
    idle_hours: float
    compute_usd: float
    storage_usd: float | None
    egress_usd: float | None
    unknown: tuple[UnknownCost, ...]

    @property
    def total_usd(self) -> float:
        """Everything that is known."""
        return self.compute_usd + (self.storage_usd or 0.0) + (self.egress_usd or 0.0)

    @property
    def hours(self) -> float:
        """From renting the machine to the last save."""
        return self.setup_hours + self.training_hours + self.saving_hours


class Bill(NamedTuple):
    """A run's cost, and what stands in for its unknown parts when it is compared with others.

    What nobody knows is counted there as the dearest known price: a provider never wins because its
    prices are unknown.
    """

    cost: Costs
    stand_in_usd: float

    @property
    def compared_usd(self) -> float:
        """Dollars to rank by."""
        return self.cost.total_usd + self.stand_in_usd


def bill(
    provider: str,
    sized: Sized,
    job: Work,
    usd_per_hour: float,
    training_hours: float,
    rental_hours: float | None,
) -> Bill:
    """The bill of a run on machines of `provider` for `usd_per_hour` in all.

    Rented is set-up (ready, then weights and data over the link), training and saves, or the
    `rental_hours` somebody means to rent where that is longer. Storage holds weights, data and the
    checkpoints kept while it runs; what is trained leaves the provider once.
    """
    terms = tariff(provider)
    nodes = sized.setup.nodes
    setup_hours = READY_HOURS + link_hours(sized.download_gb + job.data_gb)
    save_seconds = write_seconds(sized.checkpoint_gib / nodes)
    saves = _saves(save_seconds, training_hours)
    saving_hours = saves * save_seconds / 3600
    run_hours = setup_hours + training_hours + saving_hours
    hours = max(run_hours, rental_hours or 0.0)
    billed_hours = terms.billed_hours(hours)
    stored_gb = sized.download_gb + job.data_gb + KEEP_LAST * sized.checkpoint_gib * GIB / GB
    gb_months = stored_gb * run_hours / HOURS_PER_MONTH
    storage_usd = _priced(terms.storage_usd_per_gb_month, gb_months)
    egress_usd = _priced(terms.egress_usd_per_gb, sized.result_gb)
    cost = Costs(
        setup_hours=setup_hours,
        moved_gb=sized.download_gb + job.data_gb,
        training_hours=training_hours,
        saving_hours=saving_hours,
        saves=saves,
        save_seconds=save_seconds,
        stored_gb=stored_gb,
        result_gb=sized.result_gb,
        billed_hours=billed_hours,
        idle_hours=billed_hours - terms.billed_hours(run_hours),
        compute_usd=billed_hours * usd_per_hour,
        storage_usd=storage_usd,
        egress_usd=egress_usd,
        unknown=_unknown(terms),
    )
    dearest = _dearest()
    stand_in = 0.0
    if storage_usd is None:
        stand_in += gb_months * (dearest.storage_usd_per_gb_month or 0.0)
    if egress_usd is None:
        stand_in += sized.result_gb * (dearest.egress_usd_per_gb or 0.0)
    return Bill(cost, stand_in)


def _saves(save_seconds: float, training_hours: float) -> int:
    """Checkpoints of an undisturbed run: one at each interval, and the last."""
    interval = daly_interval_hours(save_seconds, ASSUMED_FAILURES_PER_HOUR)
    return int(training_hours // interval) + 1


def _priced(usd_each: float | None, amount: float) -> float | None:
    return None if usd_each is None else usd_each * amount


@cache
def _unknown(terms: Tariff) -> tuple[UnknownCost, ...]:
    parts: tuple[tuple[UnknownCost, float | None], ...] = (
        ("billing_step", terms.step_seconds),
        ("storage", terms.storage_usd_per_gb_month),
        ("egress", terms.egress_usd_per_gb),
    )
    return tuple(name for name, price in parts if price is None)


@cache
def _dearest() -> Tariff:
    """The dearest storage and egress that any provider is known to charge."""
    known = [tariff(provider) for provider in facts_providers()]
    return Tariff(
        step_seconds=None,
        minimum_seconds=None,
        storage_usd_per_gb_month=max(t.storage_usd_per_gb_month or 0.0 for t in known),
        egress_usd_per_gb=max(t.egress_usd_per_gb or 0.0 for t in known),
    )
