"""The fit card: a Plan as sections."""

from bot.cards.bodies import (
    AlternativesBody,
    AssumedBody,
    ChoiceBody,
    MemoryBody,
    NotesBody,
    OptionsBody,
    ProviderBody,
    VerdictBody,
)
from bot.cards.card import Card, Section, SectionName, Tone
from bot.cards.parts import rounded_parts
from planner.memory.interval import CALIBRATED_ON
from planner.notes import Note
from planner.plan.result import Option, Plan, Verdict
from planner.query import Method

#: What a plan is made for when the question names no method.
DEFAULT_METHOD: Method = "qlora"
_TONES: dict[Verdict, Tone] = {"fits": "good", "tight": "warning", "does_not_fit": "bad"}


def fit_card(plan: Plan, architecture_name: str) -> Card:
    """What a team must be told about `plan`, in reading order; empty sections are not there."""
    option = plan.options[0] if plan.options else None
    sections = (
        _section("verdict", 0, _verdict(plan, option, architecture_name)),
        _section("choice", 0, _choice(plan, option)),
        _section("memory", 1, _memory(plan)),
        _section("alternatives", 2, _alternatives(plan)),
        _section("options", 5, OptionsBody(options=plan.options) if option else None),
        _section("spot", 4, plan.spot),
        _section("checkpoint", 6, plan.checkpoint),
        _section("provider", 7, _provider(plan, option)),
        _section("warnings", 3, _warnings(plan)),
        _section("assumed", 3, _assumed(plan)),
    )
    return Card(
        kind="fit",
        tone="warning" if plan.verdict == "fits" and option is None else _TONES[plan.verdict],
        sections=tuple(section for section in sections if section is not None),
    )


def _section(name: SectionName, priority: int, body: object | None) -> Section | None:
    return None if body is None else Section(name=name, priority=priority, body=body)


def _verdict(plan: Plan, option: Option | None, architecture_name: str) -> VerdictBody:
    query = plan.query
    judged = option if option and query.gpu in (None, option.gpu) else None
    needed = plan.estimate.device_gib
    return VerdictBody(
        model=architecture_name,
        method=query.method or DEFAULT_METHOD,
        method_said=query.method is not None,
        seq_len=plan.seq_len,
        micro_batch=judged.micro_batch if judged else query.micro_batch,
        verdict=plan.verdict,
        gpu=judged.gpu if judged else query.gpu,
        gpu_count=judged.gpu_count if judged else query.gpu_count,
        nodes=judged.nodes if judged else query.nodes or 1,
        vram_gib=query.vram_gib,
        needed_gib=needed,
        usable_gib=plan.usable_gib,
        headroom_gib=None if plan.usable_gib is None else plan.usable_gib - needed,
    )


def _choice(plan: Plan, option: Option | None) -> ChoiceBody:
    on_demand = plan.spot.expected_usd_on_demand if plan.spot else None
    return ChoiceBody(option=option, verdict=plan.verdict, on_demand_usd_total=on_demand)


def _memory(plan: Plan) -> MemoryBody:
    estimate = plan.estimate
    return MemoryBody(
        peak_gib=round(estimate.peak_gib, 1),
        low_gib=estimate.low_gib,
        high_gib=estimate.high_gib,
        usable_gib=plan.usable_gib,
        parts=rounded_parts(estimate.breakdown, estimate.peak_gib),
        evidence=estimate.evidence,
        calibrated_on=CALIBRATED_ON,
        host_ram_gib=estimate.host_ram_gib,
        estimate=estimate,
    )


def _alternatives(plan: Plan) -> AlternativesBody | None:
    if not plan.alternatives:
        return None
    instead = plan.verdict == "does_not_fit"
    return AlternativesBody(alternatives=plan.alternatives, instead=instead)


def _provider(plan: Plan, option: Option | None) -> ProviderBody | None:
    if option is None or not plan.provider_facts:
        return None
    return ProviderBody(name=option.provider, notes=plan.provider_facts)


def _warnings(plan: Plan) -> NotesBody | None:
    notes = _each_once(plan.warnings + plan.estimate.warnings)
    return NotesBody(notes=notes) if notes else None


def _assumed(plan: Plan) -> AssumedBody:
    notes = _each_once(plan.assumptions + plan.estimate.assumptions)
    return AssumedBody(notes=notes, catalog=plan.catalog)


def _each_once(notes: tuple[Note, ...]) -> tuple[Note, ...]:
    """`notes` without repeats: a plan may say again what its estimate says."""
    kept: list[Note] = []
    for note in notes:
        if note not in kept:
            kept.append(note)
    return tuple(kept)
