"""Every card on every surface: within limits, and harmless whatever people typed."""

import re
import unicodedata
from typing import Any, TypeVar, cast, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.cards.bodies import NotesBody, PriceRow, Topic
from bot.cards.card import Card, Section
from bot.cards.fit import fit_card
from bot.cards.help import help_card
from bot.cards.notice import notice_card
from bot.cards.prices import prices_card
from bot.cards.sample import sample_card, sample_names, sample_plan
from bot.console import encodable
from bot.language import LANGUAGES, words
from bot.layout import WIDTH, cells
from bot.limits import violations
from bot.render import Surface, TooLong, render
from planner.base import Frozen
from planner.memory.result import Breakdown, MemoryEstimate
from planner.notes import note
from planner.plan.result import (
    Alternative,
    CatalogFacts,
    CheckpointAdvice,
    Option,
    Plan,
    SpotAdvice,
)
from planner.query import Language, PlanQuery

Model = TypeVar("Model", bound=Frozen)
SURFACES: tuple[Surface, ...] = get_args(Surface)
BARE_CODE = re.compile(r"\b(?:cards|common|plan|memory|catalog|models|gpus)\.[a-z]\w+")

UNWANTED = {"Cc", "Cs", "Zl", "Zp"}
HOSTILE = (
    "<!channel> <!here> <@U123> <https://evil.example|click>",
    "@everyone @here <@&1> <@!2> <#3> </fit:4>",
    "```\n`code` **bold** _it_ ~~x~~ ||spoiler|| [a](https://evil.example) # head",
    "\u202eevil \u200fright \u2066isolated",
    "\x1b[31mred\x1b[0m \x02good\x1fx\x03 \x00 bell\x07",
    "<script>alert('x')</script> & \"quoted\" {name} {{ 7 * 7 }} {% raw %}",
    "x" * 300,
    "*" * 300,
    "\U0001f916" * 150,
    "模型" * 150,
    "line\nbreak\r\nand\u2028more",
)  # fmt: skip

texts = st.sampled_from(HOSTILE) | st.text(max_size=40)
amounts = st.just(0.0) | st.floats(min_value=0.001, max_value=50_000)
notes = st.builds(lambda text: note("cards.age_as_of", as_of=text), texts)
note_lists = st.lists(notes, max_size=12).map(tuple)
days = st.none() | st.just("2026-12-01")
freshness = st.sampled_from(("fresh", "ageing", "stale", "undated", "sample"))
fractions = st.floats(min_value=0, max_value=1)


def built(model: type[Model], /, **given: st.SearchStrategy[Any]) -> st.SearchStrategy[Model]:
    """Any `model`, its numbers finite and not negative, with the fields that are `given`."""
    fields = {name: field.annotation for name, field in model.model_fields.items()}
    numbers = {name: amounts for name, kind in fields.items() if kind is float}
    counts = {name: st.integers(1, 10**7) for name, kind in fields.items() if kind is int}
    unknown = {name: st.none() | amounts for name, kind in fields.items() if kind == float | None}
    known = {**numbers, **counts, **unknown, **given}
    # Named here, not left to hypothesis: a model's signature is known only once it was first used.
    others = {
        name: st.from_type(cast(type, kind))
        for name, kind in fields.items()
        if name not in known and model.model_fields[name].is_required()
    }
    return st.builds(model, **{**others, **known})


@st.composite
def estimates(draw: st.DrawFn) -> MemoryEstimate:
    breakdown = Breakdown(**{name: draw(amounts) for name in Breakdown.model_fields})
    peak = breakdown.total_gib()
    return draw(
        built(
            MemoryEstimate,
            breakdown=st.just(breakdown),
            peak_gib=st.just(peak),
            device_gib=st.just(peak),
            low_gib=st.just(peak * 0.9),
            high_gib=st.just(peak * 1.1),
            trainable_params=st.integers(1, 10**12),
            total_params=st.integers(1, 10**12),
            active_params=st.integers(1, 10**12),
            assumptions=note_lists,
            warnings=note_lists,
        )
    )


catalogs = built(CatalogFacts, as_of=days, gathered_on=days, freshness=freshness)
options = built(
    Option,
    provider=texts,
    instance_type=texts,
    gpu=texts,
    gpu_count=st.integers(1, 64),
    nodes=st.integers(1, 16),
    interconnect=st.sampled_from(("single", "nvlink+infiniband", "nvlink-bridge")) | texts,
    region=st.none() | texts,
    as_of=days,
    gathered_on=days,
    freshness=freshness,
    why=notes,
)
plans = built(
    Plan,
    query=built(PlanQuery, model=st.none() | texts, gpu=st.none() | texts, training=st.just({})),
    estimate=estimates(),
    options=st.lists(options, max_size=3).map(tuple),
    spot=st.none() | built(SpotAdvice, rate_source=notes, why=notes),
    checkpoint=st.none() | built(CheckpointAdvice, storage=notes, why=notes),
    provider_facts=note_lists,
    alternatives=st.lists(built(Alternative, why=notes), max_size=4).map(tuple),
    catalog=built(
        CatalogFacts,
        as_of=days,
        gathered_on=days,
        age_hours=st.none() | amounts,
        freshness=freshness,
    ),
    assumptions=note_lists,
    warnings=note_lists,
)
price_rows = built(
    PriceRow,
    gpu=texts,
    provider=texts,
    instance_type=texts,
    region=st.none() | texts,
    as_of=days,
    gathered_on=days,
    freshness=freshness,
)
topics = built(Topic, command=st.just("/fit"), summary=notes, example=st.just("/fit x"))
cards = (
    st.builds(fit_card, plans, texts)
    | st.builds(prices_card, st.lists(price_rows, max_size=14), catalogs, note_lists)
    | st.builds(
        notice_card,
        st.lists(notes, min_size=1, max_size=12).map(tuple),
        st.sampled_from(("good", "warning", "bad", "neutral")),
    )
    | st.builds(
        help_card, st.lists(topics, max_size=9).map(tuple), st.lists(notes, max_size=2).map(tuple)
    )
)


def shown_texts(value: Any) -> list[str]:
    """Every string that a reader of a chat payload sees."""
    if isinstance(value, dict):
        own = [value[key] for key in ("text", "content") if isinstance(value.get(key), str)]
        return own + [text for child in value.values() for text in shown_texts(child)]
    if isinstance(value, list):
        return [text for child in value for text in shown_texts(child)]
    return []


def slack_markup(value: Any) -> list[str]:
    """Every string that Slack reads as mrkdwn: the fallback text and mrkdwn objects."""
    if isinstance(value, dict):
        is_message = "blocks" in value
        own = [value["text"]] if value.get("type") == "mrkdwn" or is_message else []
        return own + [text for child in value.values() for text in slack_markup(child)]
    if isinstance(value, list):
        return [text for child in value for text in slack_markup(child)]
    return []


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(card=cards)
def test_any_card_is_within_the_limits_of_both_chats(language: Language, card: Card) -> None:
    for surface in ("slack", "discord"):
        payload = render(card, surface, words(language))
        assert violations(surface, payload) == []
        assert shown_texts(payload)


def named_throughout(text: str) -> Card:
    """A fit card with `text` wherever a person or a catalog can put one."""
    plan = sample_plan()
    option = plan.options[0].model_copy(
        update={"provider": text, "instance_type": text, "gpu": text, "region": text}
    )
    query = plan.query.model_copy(update={"gpu": text})
    told = (note("cards.age_as_of", as_of=text),)
    changes = {"query": query, "options": (option,), "warnings": told, "provider_facts": told}
    return fit_card(plan.model_copy(update=changes), text)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_name_pings_anyone_in_a_chat(text: str) -> None:
    assert_harmless(named_throughout(text), "en")
    assert_harmless(notice_card((note("cards.age_as_of", as_of=text),), "bad"), "en")


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(card=cards)
def test_nothing_typed_pings_anyone_in_a_chat(language: Language, card: Card) -> None:
    assert_harmless(card, language)


def assert_harmless(card: Card, language: Language) -> None:
    for markup in slack_markup(render(card, "slack", words(language))):
        assert "<" not in markup
        assert ">" not in markup
    for text in shown_texts(render(card, "discord", words(language))):
        assert "@everyone" not in text
        assert "@here" not in text
        assert not re.search(r"(?<!\\)<[@#/]", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(card=cards)
def test_the_terminal_gets_lines_of_100_columns_without_control_characters(
    language: Language, card: Card
) -> None:
    text = render(card, "console", words(language))
    assert all(cells(line) <= WIDTH for line in text.splitlines())
    assert {unicodedata.category(letter) for letter in text.replace("\n", "")}.isdisjoint(UNWANTED)
    assert "\u202e" not in text
    ascii_only = encodable(text, "ascii")
    assert ascii_only.isascii()
    assert ascii_only.count("\n") == text.count("\n")


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(card=cards)
def test_a_page_has_no_element_that_somebody_typed(language: Language, card: Card) -> None:
    page = render(card, "web", words(language))
    assert "<script" not in page
    assert "<!channel" not in page
    assert re.findall(r"<(/?\w+)", page).count("html") == 1
    assert not re.search(r"(?:src|href|url)\s*[=(]", page), "a page loads nothing"


@pytest.mark.parametrize("name", sample_names())
@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_samples_show_words_and_never_codes(
    name: str, surface: Surface, language: Language
) -> None:
    payload: Any = render(sample_card(name), surface, words(language))
    shown = [payload] if isinstance(payload, str) else shown_texts(payload)
    assert "".join(shown).strip()
    for text in shown:
        assert not BARE_CODE.search(text.replace("\\", "")), text


@pytest.mark.parametrize("surface", SURFACES)
def test_a_spot_choice_never_hides_the_on_demand_price(surface: Surface) -> None:
    plan = sample_plan()
    spot_option = plan.options[0].model_copy(update={"market": "spot", "usd_total": 6.9})
    card = fit_card(plan.model_copy(update={"options": (spot_option,)}), "Llama 3.3 70B")
    without_details = Card(
        kind="fit", tone="good", sections=tuple(s for s in card.sections if s.priority == 0)
    )
    payload: Any = render(without_details, surface, words("en"))
    shown = payload if isinstance(payload, str) else "\n".join(shown_texts(payload))
    assert "$6.90" in shown
    assert "on-demand: $15.57" in shown.replace("\\", "")


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_not_known_is_said_to_be_unknown_and_is_never_zero(
    surface: Surface, language: Language
) -> None:
    row = PriceRow(
        gpu="H100-SXM5",
        gpu_count=8,
        provider="Verda",
        instance_type="8H100",
        region=None,
        market="spot",
        usd_per_hour=None,
        usd_per_gpu_hour=None,
        as_of=None,
        gathered_on=None,
        freshness="undated",
    )
    payload: Any = render(prices_card([row], sample_plan().catalog), surface, words(language))
    shown = payload if isinstance(payload, str) else "\n".join(shown_texts(payload))
    assert words(language).t("cards.unknown") in shown
    assert "$0" not in shown


@pytest.mark.parametrize("surface", ("slack", "discord"))
def test_a_card_too_long_loses_its_least_important_sections_and_says_so(surface: Surface) -> None:
    plan = sample_plan()
    changes = {
        field: tuple(note("cards.age_as_of", as_of=f"{n} {field} " + "é " * 30) for n in range(40))
        for field in ("provider_facts", "warnings")
    }
    card = fit_card(plan.model_copy(update=changes), "Llama 3.3 70B")
    payload: Any = render(card, surface, words("en"))
    shown = "\n".join(shown_texts(payload)).replace("\\", "")
    assert words("en").t("cards.more_left_out") in shown
    assert "1 provider_facts" not in shown, "the provider's facts leave first"
    assert "$1.39/h" in shown
    assert "48.3 of 79.2 GiB" in shown


def test_what_must_stay_is_refused_when_it_is_too_long() -> None:
    notes = tuple(note("cards.age_as_of", as_of="x " * 40) for _ in range(90))
    section = Section(name="message", priority=0, body=NotesBody(notes=notes))
    with pytest.raises(TooLong, match="notice on discord: text over the message"):
        render(Card(kind="notice", tone="bad", sections=(section,)), "discord", words("en"))
