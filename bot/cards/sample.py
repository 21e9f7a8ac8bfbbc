"""Sample cards for people who restyle templates, of invented figures (data/sample_plan.json)."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib.resources import files

from bot.cards.answer import answer_card
from bot.cards.bodies import DigestBody, PriceRow, Topic, WatchBody, WatchedPlan, machine_name
from bot.cards.card import Card
from bot.cards.compare import compare_card
from bot.cards.digest import digest_card
from bot.cards.explain import explain_card
from bot.cards.fit import fit_card
from bot.cards.help import help_card
from bot.cards.notice import notice_card
from bot.cards.prices import prices_card
from bot.cards.recipe import recipe_card
from bot.cards.watch import watch_card
from planner.changes import Changes, Machine, Move, NewLow
from planner.errors import BadInput
from planner.explain.explain import explain
from planner.models.registry import resolve
from planner.notes import note
from planner.plan.compare import Candidate, compare
from planner.plan.result import Alternative, Plan
from planner.recipe.recipe import recipe

_MODEL = "Llama 3.3 70B"


def sample_card(name: str) -> Card:
    """The sample called `name`; BadInput lists the names where there is none of that name."""
    if name not in _SAMPLES:
        raise BadInput("cards.unknown_sample", name=name, known=sample_names())
    return _SAMPLES[name]()


def sample_names() -> tuple[str, ...]:
    """The names of all samples."""
    return tuple(_SAMPLES)


def sample_plan() -> Plan:
    """An invented plan that fits, with everything a card can show about one."""
    text = files("bot.cards").joinpath("data/sample_plan.json").read_text(encoding="utf-8")
    return Plan.model_validate_json(text)


def _fit() -> Card:
    return fit_card(sample_plan(), _MODEL)


def _tight() -> Card:
    changes = {"verdict": "tight", "usable_gib": 47.5, "spot": None}
    return fit_card(sample_plan().model_copy(update=changes), _MODEL)


def _does_not_fit() -> Card:
    plan = sample_plan()
    smaller = Alternative(
        change="half_length",
        verdict="fits",
        device_gib=41.2,
        why=note("plan.change_half_length", device_gib=41.2),
    )
    query = plan.query.model_copy(update={"gpu": "L40S", "gpu_count": 1})
    changes = {
        "query": query,
        "verdict": "does_not_fit",
        "usable_gib": 44.5,
        "options": (),
        "spot": None,
        "checkpoint": None,
        "alternatives": (smaller,),
    }
    return fit_card(plan.model_copy(update=changes), _MODEL)


def _compare() -> Card:
    plan = sample_plan()
    options = sorted(plan.options, key=lambda option: option.usd_total)
    asked = [
        Candidate(
            f"{option.gpu_count}x {option.gpu}",
            _MODEL,
            plan.model_copy(update={"options": (option,)}),
        )
        for option in options
    ]
    return compare_card(compare(plan.query, asked))


def _explain() -> Card:
    return explain_card(explain(sample_plan()), _MODEL)


def _recipe() -> Card:
    plan = sample_plan()
    model = resolve("llama-3.3-70b").architecture
    return recipe_card(recipe(plan, model, "skypilot"), _MODEL)


def _prices() -> Card:
    plan = sample_plan()
    rows = [
        PriceRow(
            usd_per_gpu_hour=option.usd_per_hour / option.gpu_count,
            **option.model_dump(include=set(PriceRow.model_fields)),
        )
        for option in plan.options
    ]
    return prices_card(rows, plan.catalog)


def _answer() -> Card:
    from bot.faq.asking import Asked
    from bot.faq.facts import Facts

    facts = Facts(None, datetime(2026, 12, 1, tzinfo=UTC))
    return answer_card(Asked("persistent_storage", None, facts, "en", 1.0, ()))


def _digest() -> Card:
    machine = Machine(
        provider="nebius",
        instance_type="gpu-h100-sxm",
        gpu="H100-SXM5",
        gpu_count=8,
        market="on_demand",
        regions=("eu-north1",),
    )
    low = NewLow(
        gpu="H100-SXM5",
        market="on_demand",
        old_usd_per_gpu_hour=2.95,
        new_usd_per_gpu_hour=2.5,
        machine=machine,
    )
    move = Move(machine=machine, old_usd_per_hour=23.6, new_usd_per_hour=20.0, fraction=-0.1525)
    moved = Changes(new_lows=(low,), moves=(move,), appeared=(), vanished=())
    plan = sample_plan()
    watched = WatchedPlan(
        what="llama-70b qlora under $40",
        figure="run",
        usd=15.57,
        before_usd=18.04,
        machine=machine_name(plan.options[0]),
        machine_before="2x RTX-3090 Vast.ai 2x-RTX_3090",
        is_new=False,
    )
    return digest_card(
        DigestBody(changes=moved, catalog=plan.catalog, is_first=False, is_old_news=False),
        watched=(watched,),
    )


def _watch() -> Card:
    plan = sample_plan()
    option = plan.options[0]
    body = WatchBody(
        what="llama-70b qlora",
        figure="run",
        limit_usd=round(option.usd_total * 1.05, 2),
        usd=option.usd_total,
        before_usd=round(option.usd_total * 1.2, 2),
        offer=option,
        machine_before="1x H200-SXM nebius gpu-h200-sxm",
    )
    return watch_card(body, plan.catalog, plan.assumptions)


def _help() -> Card:
    topic = Topic(
        command="/fit", summary=note("cards.sample_topic"), example="/fit llama-70b qlora"
    )
    return help_card((topic,))


def _notice() -> Card:
    return notice_card((note("cards.no_prices"),), "warning")


_SAMPLES: Mapping[str, Callable[[], Card]] = {
    "fit": _fit,
    "tight": _tight,
    "does_not_fit": _does_not_fit,
    "compare": _compare,
    "explain": _explain,
    "recipe": _recipe,
    "prices": _prices,
    "help": _help,
    "notice": _notice,
    "answer": _answer,
    "digest": _digest,
    "watch": _watch,
}
