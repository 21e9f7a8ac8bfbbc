"""From a Command to a Plan: the model, the prices, and what the reading had to assume."""

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from bot.architectures import from_name
from bot.grammar.command import Command
from bot.grammar.once import once
from bot.wanted import catalog_filters, named_cards
from planner.catalog.offer import Shape
from planner.catalog.store import Catalog, open_catalog
from planner.errors import BadInput
from planner.models.architecture import Architecture
from planner.notes import Note, note
from planner.plan.plan import Prices, plan
from planner.plan.result import Plan

#: Providers sell more kinds of machines than this: fewer offers are part of what there is.
FEW_OFFERS = 5
#: The answer may be about something else than was asked: a warning, not an assumption.
_LEFT_OUT = frozenset(
    {"grammar.gpu_unknown", "grammar.not_understood", "grammar.method_not_supported"}
)


class Planned(NamedTuple):
    """A plan and the model it is about."""

    plan: Plan
    architecture: Architecture


def plan_for(asked: Command, catalog_file: Path | None, now: datetime) -> Planned:
    """Plan what `asked` says with the prices in `catalog_file`, or the bundled sample.

    Raises BadInput where the text names no model or asks for what Muat does not estimate.
    """
    if asked.model is None:
        raise _no_model(asked)
    resolved = from_name(asked.model)
    query = asked.query()
    with open_catalog(catalog_file) as catalog:
        shapes = catalog.best(**catalog_filters(asked))
        prices = Prices(shapes=_of_the_cards(asked, shapes), facts=catalog.facts(now))
        warnings = (*catalog.warnings(now), *_thin(asked, catalog, now))
    answer = plan(query, resolved.architecture, prices, now, _same_name(asked.notes))
    left_out = tuple(one for one in asked.notes if one.code in _LEFT_OUT)
    assumed = once([*(one for one in asked.notes if one not in left_out), *resolved.notes])
    answer = answer.model_copy(
        update={
            "assumptions": (*assumed, *answer.assumptions),
            "warnings": (*left_out, *resolved.warnings, *warnings, *answer.warnings),
        }
    )
    return Planned(answer, resolved.architecture)


def _thin(asked: Command, catalog: Catalog, now: datetime) -> tuple[Note, ...]:
    """A warning where the catalog holds few offers of a provider that is asked for."""
    facts = catalog.facts(now)
    return tuple(
        note("plan.few_offers", provider=name, offers=held, day=facts.gathered_on or "?")
        for name in asked.providers
        if (held := catalog.offers_of((name,))) < FEW_OFFERS
    )


def _no_model(asked: Command) -> BadInput:
    closed = next((one for one in asked.notes if one.code == "grammar.closed_model"), None)
    if closed is not None:
        return BadInput("grammar.closed_model", name=closed.values["name"])
    return BadInput("errors.no_model")


def _of_the_cards(asked: Command, shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """Where several cards are named ("3090 vs 4090"), only machines with one of them."""
    if len(asked.gpus) < 2:
        return shapes
    named = named_cards(asked) or ()
    return tuple(shape for shape in shapes if shape.offer.gpu in named)


def _same_name(notes: tuple[Note, ...]) -> tuple[str, ...]:
    """The other SKUs that a typed card name could have meant."""
    for one in notes:
        if one.code == "gpus.default_taken":
            others = one.values["others"]
            return others if isinstance(others, tuple) else ()
    return ()
