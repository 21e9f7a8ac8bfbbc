"""What the fit card tells, and in which order its sections leave."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cards.card import Card
from bot.cards.fit import fit_card
from bot.cards.parts import rounded_parts
from bot.cards.sample import sample_plan
from bot.language import LANGUAGES, words
from bot.render import render
from planner.memory.interval import CALIBRATED_ON
from planner.memory.result import Breakdown
from planner.notes import note
from planner.plan.result import Alternative, Plan
from planner.query import Language

MODEL = "Llama 3.3 70B"


def changed(**changes: Any) -> Plan:
    return sample_plan().model_copy(update=changes)


def shown(plan: Plan, language: Language = "en") -> str:
    """The card in a terminal, its wrapped lines joined."""
    return " ".join(render(fit_card(plan, MODEL), "console", words(language)).split())


def body(card: Card, name: str) -> Any:
    return next(section.body for section in card.sections if section.name == name)


def test_one_line_says_what_fits_where_and_with_how_much_room() -> None:
    lines = render(fit_card(sample_plan(), MODEL), "console", words("en")).splitlines()
    assert lines[0] == "Llama 3.3 70B, QLoRA, 4,096 tokens, batch 1"
    assert lines[1] == "Fits on 1x A100-SXM4-80GB with 30.9 GiB to spare"


def test_indonesian_numbers_are_written_the_indonesian_way() -> None:
    text = shown(sample_plan(), "id")
    assert "sisa 30,9 GiB" in text
    assert "4.096 token" in text
    assert "$1,39/jam" in text


@pytest.mark.parametrize(
    ("verdict", "usable_gib", "tone", "says"),
    [
        ("fits", 79.2, "good", "30.9 GiB to spare"),
        ("tight", 47.5, "warning", "needs about 48.3 of 47.5 GiB, and may run out"),
        ("does_not_fit", 44.0, "bad", "needs about 48.3 GiB per GPU, 44.0 GiB usable"),
    ],
)
def test_each_verdict_has_its_tone_and_its_sentence(
    verdict: str, usable_gib: float, tone: str, says: str
) -> None:
    plan = changed(verdict=verdict, usable_gib=usable_gib)
    assert fit_card(plan, MODEL).tone == tone
    assert says in shown(plan)


def test_what_does_not_fit_is_judged_on_the_card_that_was_named_and_shows_what_would() -> None:
    query = sample_plan().query.model_copy(update={"gpu": "L40S", "gpu_count": 2})
    why = note("plan.change_half_length", device_gib=41.2)
    smaller = Alternative(change="half_length", verdict="fits", device_gib=41.2, why=why)
    plan = changed(
        query=query, verdict="does_not_fit", usable_gib=44.5, options=(), alternatives=(smaller,)
    )
    text = shown(plan)
    assert "Does not fit on 2x L40S" in text
    assert "Nothing to rent for this as it stands." in text
    assert "Try this fits: at half the sequence length: 41.2 GiB" in text


def test_a_size_named_in_place_of_a_card_is_what_the_verdict_names() -> None:
    query = sample_plan().query.model_copy(update={"vram_gib": 24.0})
    plan = changed(query=query, verdict="does_not_fit", usable_gib=22.9, options=())
    assert "Does not fit on 1x 24 GiB GPU" in shown(plan)


@pytest.mark.parametrize(
    ("headroom_gib", "says"), [(0.4, "0.4 GiB to spare"), (-11.6, "11.6 GiB short")]
)
def test_room_that_is_lacking_is_said_as_lacking(headroom_gib: float, says: str) -> None:
    option = sample_plan().options[0].model_copy(update={"headroom_gib": headroom_gib})
    text = shown(changed(verdict="tight", options=(option,)))
    assert says in text
    assert "-11.6" not in text


def test_a_job_that_fits_without_an_offer_lacks_an_offer_and_not_memory() -> None:
    plan = changed(options=(), spot=None, checkpoint=None)
    assert fit_card(plan, MODEL).tone == "warning"
    assert "no priced offer matches what you asked for" in shown(plan)


def test_a_method_nobody_named_is_marked_and_the_others_are_listed() -> None:
    query = sample_plan().query.model_copy(update={"method": None})
    others = tuple(
        Alternative(
            change=f"method_{name}",
            verdict="fits",
            device_gib=150.0,
            why=note(f"plan.change_method_{name}_none", device_gib=150.0),
        )
        for name in ("lora", "full")
    )
    text = shown(changed(query=query, alternatives=others))
    assert "QLoRA (no method named)" in text
    assert "Other ways fits: LoRA: 150.0 GiB" in text
    assert "fits: full fine-tuning: 150.0 GiB" in text


def test_sections_without_content_are_not_there() -> None:
    card = fit_card(changed(spot=None, checkpoint=None, provider_facts=(), warnings=()), MODEL)
    names = {section.name for section in card.sections}
    assert names == {"verdict", "choice", "memory", "options", "assumed"}


def test_the_verdict_and_the_choice_stay_when_everything_else_has_left() -> None:
    card: Card | None = fit_card(sample_plan(), MODEL)
    left = []
    while card is not None:
        kept = [section.name for section in card.sections]
        card = card.without_least_important()
        left += [name for name in kept if card and name not in {s.name for s in card.sections}]
    assert left[:2] == ["provider", "checkpoint"]
    assert left[-1] == "memory"
    assert kept == ["verdict", "choice"]


def test_a_warning_of_the_plan_and_of_its_estimate_is_told_once() -> None:
    twice = note("memory.assumed_experts_frozen")
    estimate = sample_plan().estimate.model_copy(update={"warnings": (twice,)})
    card = fit_card(changed(estimate=estimate, warnings=(twice,)), MODEL)
    assert body(card, "warnings").notes == (twice,)


def test_d002_a_mixture_of_experts_shows_held_and_active_parameters() -> None:
    """D002: memory counts every expert; the card shows both numbers."""
    estimate = sample_plan().estimate.model_copy(
        update={"total_params": 30_532_122_624, "active_params": 3_349_000_000}
    )
    text = shown(changed(estimate=estimate))
    assert "of 30.5 B parameters; all are held in memory, 3.3 B are active per token" in text


def test_an_unknown_on_demand_price_and_break_even_are_not_zero() -> None:
    spot = sample_plan().spot
    assert spot is not None
    unknown = spot.model_copy(
        update={"expected_usd_on_demand": None, "break_even_interruptions_per_hour": None}
    )
    text = shown(changed(spot=unknown, options=()))
    assert "the on-demand price is unknown" in text
    assert "Interruptions per hour: 0.08 (assumed:" in text
    assert "$0.00" not in text


def test_a_small_interruption_rate_does_not_read_as_zero() -> None:
    spot = sample_plan().spot
    assert spot is not None
    text = shown(changed(spot=spot.model_copy(update={"interruptions_per_hour": 0.0042})))
    assert "here 0.004 (" in text


def test_an_unknown_usable_memory_leaves_the_verdict_open() -> None:
    text = shown(changed(usable_gib=None))
    assert "how much this GPU offers is unknown" in text
    assert "48.3 GiB (likely 45.1 to 52.0)" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_parts_shown_add_up_to_the_peak_shown(language: Language) -> None:
    memory = body(fit_card(sample_plan(), MODEL), "memory")
    text = render(fit_card(sample_plan(), MODEL), "console", words(language))
    summands = re.findall(r"[a-z]+ (\d+[.,]\d)(?: \+|$)", text, flags=re.MULTILINE)
    assert len(summands) == len(memory.parts)
    total = sum(float(number.replace(",", ".")) for number in summands)
    assert total == pytest.approx(48.3, abs=1e-9)


sizes = st.floats(min_value=0, max_value=2000)


@given(st.builds(Breakdown, **{name: sizes for name in Breakdown.model_fields}))
def test_rounded_parts_add_up_and_stay_within_a_tenth_of_the_truth(breakdown: Breakdown) -> None:
    peak = breakdown.total_gib()
    parts = {part.name: part.gib for part in rounded_parts(breakdown, peak)}
    assert sum(parts.values()) == pytest.approx(round(peak, 1), abs=1e-6)
    overhead = breakdown.context + breakdown.fragmentation
    assert parts.pop("overhead", 0.0) == pytest.approx(overhead, abs=0.1001)
    for name, gib in parts.items():
        assert gib == pytest.approx(getattr(breakdown, name), abs=0.1001)
        assert gib > 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_d039_the_card_tells_the_estimators_date_and_its_error_band(language: Language) -> None:
    """D039: which estimator, when it was calibrated, and the range that runs lie in."""
    plan = sample_plan()
    text = shown(plan, language)
    assert CALIBRATED_ON in text
    for bound in (plan.estimate.low_gib, plan.estimate.high_gib):
        assert words(language).value("low_gib", bound) in text
