"""Where the hours and dollars of a run come from."""

from collections.abc import Iterator

from planner.catalog.tariffs import tariff
from planner.checkpoint import ASSUMED_STORAGE_BYTES_PER_S
from planner.explain.figure import Figure
from planner.notes import note
from planner.plan.costs import HOURS_PER_MONTH, READY_HOURS
from planner.plan.result import Option, Plan

_LINK_GBIT_PER_S = ASSUMED_STORAGE_BYTES_PER_S * 8 / 1e9


def money_figures(plan: Plan, option: Option) -> Iterator[Figure]:
    """The hours of `option`, then what they cost."""
    yield from _hours(plan, option)
    yield from _dollars(plan, option)


def _hours(plan: Plan, option: Option) -> Iterator[Figure]:
    cost = option.cost
    yield Figure(
        name="setup_hours",
        value=cost.setup_hours,
        unit="h",
        formula="ready_hours + moved_gb * 8 / link_gbit_per_s / 3600",
        inputs={
            "ready_hours": READY_HOURS,
            "moved_gb": cost.moved_gb,
            "link_gbit_per_s": _LINK_GBIT_PER_S,
        },
        source=note("explain.from_set_up"),
    )
    yield Figure(
        name="training_hours",
        value=cost.training_hours,
        unit="h",
        formula="tokens / tokens_per_s / 3600",
        inputs={"tokens": plan.tokens, "tokens_per_s": option.tokens_per_s},
        source=note("explain.from_training"),
    )
    yield Figure(
        name="saving_hours",
        value=cost.saving_hours,
        unit="h",
        formula="saves * save_seconds / 3600",
        inputs={"saves": float(cost.saves), "save_seconds": cost.save_seconds},
        source=note("explain.from_saving"),
    )
    yield Figure(
        name="hours",
        value=option.hours,
        unit="h",
        formula="setup_hours + training_hours + saving_hours",
        inputs={
            "setup_hours": cost.setup_hours,
            "training_hours": cost.training_hours,
            "saving_hours": cost.saving_hours,
        },
        source=note("explain.from_rented"),
    )
    for name, value, pace in (
        ("hours_low", option.hours_low, option.tokens_per_s_high),
        ("hours_high", option.hours_high, option.tokens_per_s_low),
    ):
        yield Figure(
            name="hours_low" if name == "hours_low" else "hours_high",
            value=value,
            unit="h",
            formula="hours - training_hours + training_hours * tokens_per_s / likely_tokens_per_s",
            inputs={
                "hours": option.hours,
                "training_hours": cost.training_hours,
                "tokens_per_s": option.tokens_per_s,
                "likely_tokens_per_s": pace,
            },
            source=note("explain.from_range"),
        )


def _dollars(plan: Plan, option: Option) -> Iterator[Figure]:
    cost, terms = option.cost, tariff(option.provider)
    rented = max(option.hours, plan.query.rental_hours or 0.0)
    step, least = terms.step_seconds or 0.0, terms.minimum_seconds or 0.0
    started = "ceil(round(rented_hours * 3600 / step_seconds, 6)) * step_seconds / 3600"
    yield Figure(
        name="billed_hours",
        value=cost.billed_hours,
        unit="h",
        formula=f"max({started if step else 'rented_hours'}, minimum_seconds / 3600)",
        inputs={"rented_hours": rented, "minimum_seconds": least}
        | ({"step_seconds": step} if step else {}),
        source=note("explain.from_billed", provider=option.provider),
    )
    yield Figure(
        name="compute_usd",
        value=cost.compute_usd,
        unit="USD",
        formula="billed_hours * usd_per_hour",
        inputs={"billed_hours": cost.billed_hours, "usd_per_hour": option.usd_per_hour},
        source=note("explain.from_compute"),
    )
    if cost.storage_usd is not None:
        yield Figure(
            name="storage_usd",
            value=cost.storage_usd,
            unit="USD",
            formula="stored_gb * hours / hours_per_month * usd_per_gb_month",
            inputs={
                "stored_gb": cost.stored_gb,
                "hours": option.hours,
                "hours_per_month": HOURS_PER_MONTH,
                "usd_per_gb_month": terms.storage_usd_per_gb_month or 0.0,
            },
            source=note("explain.from_storage"),
        )
    if cost.egress_usd is not None:
        yield Figure(
            name="egress_usd",
            value=cost.egress_usd,
            unit="USD",
            formula="result_gb * usd_per_gb",
            inputs={"result_gb": cost.result_gb, "usd_per_gb": terms.egress_usd_per_gb or 0.0},
            source=note("explain.from_egress"),
        )
    known = {
        "compute_usd": cost.compute_usd,
        "storage_usd": cost.storage_usd,
        "egress_usd": cost.egress_usd,
    }
    yield Figure(
        name="usd_total",
        value=option.usd_total,
        unit="USD",
        formula=" + ".join(name for name, usd in known.items() if usd is not None),
        inputs={name: usd for name, usd in known.items() if usd is not None},
        source=note("explain.from_total"),
    )
