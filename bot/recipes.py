"""From a Command to the files that run its plan."""

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from bot.grammar.command import Command
from bot.planning import Planned, plan_for
from planner.errors import BadInput
from planner.recipe.recipe import TARGETS, Recipe, Target, recipe

DEFAULT_TARGET: Target = "skypilot"


class Written(NamedTuple):
    """A recipe and the plan it runs."""

    recipe: Recipe
    planned: Planned


def written(
    asked: Command, catalog_file: Path | None, now: datetime, target: str | None = None
) -> Written:
    """The files for `target`, else for the one the text names, else for SkyPilot.

    Where spot is recommended and the text names no market, the spot machine is the plan.
    """
    wanted = checked_target(target or asked.target or DEFAULT_TARGET)
    planned = plan_for(asked, catalog_file, now)
    spot = planned.plan.spot
    if asked.market is None and spot is not None and spot.recommend == "spot":
        on_spot = plan_for(asked.model_copy(update={"market": "spot"}), catalog_file, now)
        planned = on_spot if on_spot.plan.options else planned
    return Written(recipe(planned.plan, planned.architecture, wanted), planned)


def checked_target(name: str) -> Target:
    """`name` as a target; BadInput lists those there are."""
    if name not in TARGETS:
        raise BadInput("recipe.unknown_target", target=name, known=TARGETS)
    return name
