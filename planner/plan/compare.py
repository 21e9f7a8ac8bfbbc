"""Several plans side by side: which is cheapest, which is fastest, and what one costs of the
other.
"""

from collections.abc import Sequence
from typing import NamedTuple

from planner.base import Frozen
from planner.memory.result import MemoryEstimate
from planner.notes import Note, note
from planner.plan.result import (
    Alternative,
    CatalogFacts,
    Option,
    Plan,
    SpotAdvice,
    Verdict,
)
from planner.query import Method, PlanQuery

#: Two prices or times this close are the same to a reader.
_SAME = 1.02


class Column(Frozen):
    """One of the things compared. `asked` names what it differs in; `option` is what to rent for
    it, None where it does not fit or nobody offers it. `alternatives` are what would make it fit.
    """

    asked: str
    model: str
    method: Method | None
    gpu: str | None
    gpu_count: int | None
    verdict: Verdict
    estimate: MemoryEstimate
    usable_gib: float | None
    option: Option | None
    spot: SpotAdvice | None
    alternatives: tuple[Alternative, ...] = ()
    warnings: tuple[Note, ...] = ()


class Comparison(Frozen):
    """Plans side by side. `cheapest` and `fastest` are places in `columns`, None where nothing can
    be rented; `notes` say what one costs of the other; `assumptions` and `warnings` hold for all.
    """

    query: PlanQuery
    columns: tuple[Column, ...]
    cheapest: int | None
    fastest: int | None
    notes: tuple[Note, ...]
    catalog: CatalogFacts
    assumptions: tuple[Note, ...] = ()
    warnings: tuple[Note, ...] = ()


class Candidate(NamedTuple):
    """A plan to compare, by the name of what it differs in, and the name of its model."""

    asked: str
    model: str
    plan: Plan


def compare(
    query: PlanQuery, candidates: Sequence[Candidate], notes: tuple[Note, ...] = ()
) -> Comparison:
    """The plans of `candidates`, all of one catalog, side by side; `query` is what they share, and
    `notes` how it was read.
    """
    plans = [one.plan for one in candidates]
    assumptions = _shared([plan.assumptions for plan in plans])
    warnings = _shared([plan.warnings for plan in plans])
    columns = tuple(_column(one, warnings) for one in candidates)
    rented = _rented(columns)
    cheapest = min(rented, key=lambda place: rented[place].usd_total, default=None)
    fastest = min(rented, key=lambda place: rented[place].hours, default=None)
    return Comparison(
        query=query,
        columns=columns,
        cheapest=cheapest,
        fastest=fastest,
        notes=_notes(columns, cheapest, fastest),
        catalog=plans[0].catalog,
        assumptions=(*notes, *(one for one in assumptions if one not in notes)),
        warnings=warnings,
    )


def _column(one: Candidate, shared: tuple[Note, ...]) -> Column:
    plan = one.plan
    option = plan.options[0] if plan.options and plan.verdict != "does_not_fit" else None
    return Column(
        asked=one.asked,
        model=one.model,
        method=plan.query.method,
        gpu=plan.query.gpu,
        gpu_count=plan.query.gpu_count,
        verdict=plan.verdict,
        estimate=plan.estimate,
        usable_gib=plan.usable_gib,
        option=option,
        spot=plan.spot if option is not None else None,
        alternatives=plan.alternatives if plan.verdict == "does_not_fit" else (),
        warnings=tuple(each for each in plan.warnings if each not in shared),
    )


def _rented(columns: tuple[Column, ...]) -> dict[int, Option]:
    """What can be rented, by place: what fits, else what is tight."""
    found = {place: one.option for place, one in enumerate(columns) if one.option is not None}
    fitting = {place: one for place, one in found.items() if columns[place].verdict == "fits"}
    return fitting or found


def _shared(notes: Sequence[tuple[Note, ...]]) -> tuple[Note, ...]:
    """The notes that every plan has, in the order of the first."""
    return tuple(one for one in notes[0] if all(one in others for others in notes[1:]))


def _notes(
    columns: tuple[Column, ...], cheapest: int | None, fastest: int | None
) -> tuple[Note, ...]:
    """The trade in a sentence: the fastest against the cheapest."""
    if cheapest is None or fastest is None:
        fits = any(one.verdict != "does_not_fit" for one in columns)
        return (note("compare.nothing_offered" if fits else "compare.nothing_fits"),)
    saver, racer = columns[cheapest], columns[fastest]
    cheap, fast = saver.option, racer.option
    if cheap is None or fast is None or fastest == cheapest or cheap.hours <= fast.hours * _SAME:
        return (note("compare.best_of_both", asked=saver.asked),)
    if fast.usd_total <= cheap.usd_total * _SAME:
        return (note("compare.best_of_both", asked=racer.asked),)
    return (
        note(
            "compare.trade",
            fastest=racer.asked,
            cheapest=saver.asked,
            times_price=fast.usd_total / cheap.usd_total,
            times_faster=cheap.hours / fast.hours,
        ),
    )
