"""From a Command that names several things to their plans side by side."""

from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Any

from bot.grammar.command import Command
from bot.planning import plan_for
from planner.errors import BadInput
from planner.notes import Note
from planner.plan.compare import Candidate, Comparison, compare

#: More columns than a card can show side by side.
MOST_COLUMNS = 6

#: What one column sets of the command, and the words for it.
_Choice = tuple[str, dict[str, Any]]


def compared(asked: Command, catalog_file: Path | None, now: datetime) -> Comparison:
    """The plans of everything that `asked` names more than one of: models, methods, GPUs,
    providers.

    BadInput where there is nothing to compare, or too much.
    """
    axes = [axis for axis in _axes(asked) if len(axis) > 1]
    if not axes:
        raise BadInput("compare.one_thing")
    columns = list(product(*axes))
    if len(columns) > MOST_COLUMNS:
        raise BadInput("compare.too_many", columns=len(columns), most=MOST_COLUMNS)
    candidates = [_candidate(asked, column, catalog_file, now) for column in columns]
    return compare(asked.query(), candidates, asked.notes)


def is_comparison(asked: Command) -> bool:
    """Whether there is a model to plan for; prices alone are compared as prices."""
    return bool(asked.models or asked.model)


def _candidate(
    asked: Command, column: tuple[_Choice, ...], catalog_file: Path | None, now: datetime
) -> Candidate:
    fields = {name: value for _, chosen in column for name, value in chosen.items()}
    if "gpu" in fields:
        fields["notes"] = tuple(one for one in asked.notes if _speaks_of(one, fields["gpu"]))
    planned = plan_for(asked.model_copy(update=fields), catalog_file, now)
    name = ", ".join(words for words, _ in column)
    return Candidate(name, planned.architecture.display_name, planned.plan)


def _axes(asked: Command) -> tuple[tuple[_Choice, ...], ...]:
    """What each column may take of every kind; a card without a count is one card."""
    return (
        tuple((_last(name), {"model": name, "models": (name,)}) for name in asked.models),
        tuple((method, {"method": method, "methods": ()}) for method in asked.methods),
        tuple((_card_words(card), _card(card)) for card in asked.gpus),
        tuple((name, {"provider": name, "providers": (name,)}) for name in asked.providers),
    )


def _speaks_of(one: Note, gpu: str) -> bool:
    """Whether a note on the reading is about the card `gpu`, or about no card at all."""
    return one.code != "gpus.default_taken" or gpu in one.values.values()


def _last(model: str) -> str:
    return model.rpartition("/")[2]


def _card(card: str) -> dict[str, Any]:
    count, _, name = card.rpartition(" ")
    return {"gpu": name, "gpu_count": int(count.rstrip("x") or 1), "gpus": (card,)}


def _card_words(card: str) -> str:
    return card if " " in card else f"1x {card}"
