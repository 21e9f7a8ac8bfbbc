"""Where the spot and checkpoint advice comes from."""

from collections.abc import Iterator

from planner.checkpoint import (
    ASSUMED_FAILURES_PER_HOUR,
    ASSUMED_STORAGE_BYTES_PER_S,
    FIXED_SAVE_SECONDS,
)
from planner.explain.figure import Figure
from planner.notes import note
from planner.plan.result import CheckpointAdvice, Option, Plan, SpotAdvice
from planner.spot.interval import daly_interval_hours
from planner.spot.judge import WORTHWHILE_SAVING

_DALY = "60 * (sqrt(2 * d * M) * (1 + sqrt(d / (2 * M)) / 3 + d / (2 * M) / 9) - d)"


def spot_figures(spot: SpotAdvice) -> Iterator[Figure]:
    """What spot is expected to cost, and where the answer flips."""
    yield Figure(
        name="expected_usd_spot",
        value=spot.expected_usd_spot,
        unit="USD",
        formula="spot_hours * usd_per_hour + changed_hours * on_demand_usd_per_hour + beside_usd",
        inputs={
            "spot_hours": spot.spot_hours,
            "usd_per_hour": spot.usd_per_hour,
            "changed_hours": spot.changed_hours,
            "on_demand_usd_per_hour": spot.on_demand_usd_per_hour or 0.0,
            "beside_usd": spot.beside_usd,
        },
        source=note("explain.from_spot"),
    )
    if spot.break_even_interruptions_per_hour is not None and spot.expected_usd_on_demand:
        yield Figure(
            name="break_even_interruptions_per_hour",
            value=spot.break_even_interruptions_per_hour,
            unit="1/h",
            formula="expected_usd_spot(rate) = worthwhile_share * expected_usd_on_demand",
            inputs={
                "worthwhile_share": 1 - WORTHWHILE_SAVING,
                "expected_usd_on_demand": spot.expected_usd_on_demand,
            },
            source=note("explain.from_break_even"),
        )


def checkpoint_figures(plan: Plan, advice: CheckpointAdvice, option: Option) -> Iterator[Figure]:
    """How long a save takes, and how often to save."""
    spot = plan.spot
    on_spot = spot is not None and (spot.recommend == "spot" or option.market == "spot")
    nodes = spot.nodes if spot is not None and on_spot else option.nodes
    rate = spot.interruptions_per_hour if spot and on_spot else ASSUMED_FAILURES_PER_HOUR
    yield Figure(
        name="write_seconds",
        value=advice.write_seconds,
        unit="s",
        formula="fixed_s + size_gib / nodes * 2**30 * 8 / (link_gbit_per_s * 10**9)",
        inputs={
            "fixed_s": FIXED_SAVE_SECONDS,
            "size_gib": advice.size_gib,
            "nodes": float(nodes),
            "link_gbit_per_s": ASSUMED_STORAGE_BYTES_PER_S * 8 / 1e9,
        },
        source=note("explain.from_write"),
    )
    save, mean = advice.write_seconds / 3600, 1 / rate
    if save < 2 * mean:
        yield Figure(
            name="daly_minutes",
            value=daly_interval_hours(advice.write_seconds, rate) * 60,
            unit="min",
            formula=_DALY,
            inputs={"d": save, "M": mean},
            source=note("explain.from_daly"),
        )
    step_minutes = advice.interval_minutes / advice.interval_steps
    yield Figure(
        name="interval_minutes",
        value=advice.interval_minutes,
        unit="min",
        formula="steps * step_minutes",
        inputs={"steps": float(advice.interval_steps), "step_minutes": step_minutes},
        source=note("explain.from_interval"),
    )
    yield Figure(
        name="overhead_fraction",
        value=advice.overhead_fraction,
        unit="share",
        formula="write_seconds / (write_seconds + 60 * interval_minutes)",
        inputs={
            "write_seconds": advice.write_seconds,
            "interval_minutes": advice.interval_minutes,
        },
        source=note("explain.from_overhead"),
    )
