"""Where the memory of the fullest GPU comes from."""

from collections.abc import Iterator

from planner.explain.figure import Figure, FigureName
from planner.memory.result import MemoryEstimate
from planner.notes import note
from planner.plan.result import Plan
from planner.units import GIB

_PER_PARAM: tuple[tuple[FigureName, str, str], ...] = (
    ("weights_gib", "weights", "total_params"),
    ("adapters_gib", "adapters", "trainable_params"),
    ("gradients_gib", "gradients", "trainable_params"),
    ("optimizer_gib", "optimizer", "trainable_params"),
)
_PER_TOKEN: tuple[tuple[FigureName, str, str], ...] = (
    ("activations_gib", "activations", "activations"),
    ("logits_gib", "logits", "logits"),
    ("temporary_gib", "temporary", "temporary"),
)


def memory_figures(plan: Plan) -> Iterator[Figure]:
    """The parts of the peak, their sum, and the room that is left."""
    estimate = plan.estimate
    yield from _parts(plan, estimate)
    parts = dict(estimate.breakdown.parts())
    yield Figure(
        name="peak_gib",
        value=estimate.peak_gib,
        unit="GiB",
        formula=" + ".join(parts),
        inputs=parts,
        source=note("explain.from_peak", phase=estimate.peak_phase),
    )
    if plan.usable_gib is not None:
        yield Figure(
            name="headroom_gib",
            value=plan.usable_gib - estimate.device_gib,
            unit="GiB",
            formula="usable_gib - device_gib",
            inputs={"usable_gib": plan.usable_gib, "device_gib": estimate.device_gib},
            source=note("explain.from_room"),
        )


def _parts(plan: Plan, estimate: MemoryEstimate) -> Iterator[Figure]:
    parts = dict(estimate.breakdown.parts())
    for name, part, of in _PER_PARAM:
        count = float(getattr(estimate, of))
        if parts[part] and count:
            yield _scaled(
                name,
                parts[part],
                of,
                count,
                "bytes_each",
                "weights" if of == "total_params" else "trained",
            )
    option = plan.options[0] if plan.options else None
    micro_batch = option.micro_batch if option else plan.query.micro_batch or 1
    tokens = float(plan.seq_len * micro_batch)
    for name, part, source in _PER_TOKEN:
        if parts[part]:
            yield _scaled(name, parts[part], "tokens_at_once", tokens, "bytes_each", source)


def _scaled(
    name: FigureName, gib: float, count_name: str, count: float, each: str, source: str
) -> Figure:
    return Figure(
        name=name,
        value=gib,
        unit="GiB",
        formula=f"{count_name} * {each} / 2**30",
        inputs={count_name: count, each: gib * GIB / count},
        source=note(f"explain.from_{source}"),
    )
