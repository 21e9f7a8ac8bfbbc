"""A plan's first option as files that run exactly that."""

from typing import Literal, get_args

from planner.base import Frozen
from planner.errors import BadInput
from planner.models.architecture import Architecture
from planner.notes import Note, note
from planner.plan.result import Option, Plan
from planner.query import PlanQuery
from planner.recipe import accelerate, dstack, skypilot, trl
from planner.recipe.job import RunJob, run_job

Target = Literal["skypilot", "dstack", "trl", "accelerate"]
TARGETS: tuple[Target, ...] = get_args(Target)


class Recipe(Frozen):
    """Files by name, in the order to read them; `option` is what they rent and run."""

    query: PlanQuery
    target: Target
    files: dict[str, str]
    option: Option
    assumptions: tuple[Note, ...] = ()
    warnings: tuple[Note, ...] = ()


def recipe(plan: Plan, architecture: Architecture, target: Target) -> Recipe:
    """The files for `target`.

    BadInput where the plan has nothing to rent, where it asks for what these files cannot do, or
    where the target does not know the provider.
    """
    if not plan.options or plan.verdict == "does_not_fit":
        raise BadInput("recipe.nothing_to_run")
    job = run_job(plan, architecture)
    files = {**_ORCHESTRATED.get(target, _nothing)(job), **trl.files(job)}
    if target != "trl" or job.processes > 1:
        files |= accelerate.files(job)
    return Recipe(
        query=plan.query,
        target=target,
        files=files,
        option=job.option,
        assumptions=(note("recipe.assumed_rate", rate=f"{job.learning_rate:g}"), *plan.assumptions),
        warnings=plan.warnings,
    )


def _nothing(_: RunJob) -> dict[str, str]:
    return {}


_ORCHESTRATED = {"skypilot": skypilot.files, "dstack": dstack.files}
