"""A plan's numbers, explained in the order of its card."""

from planner.explain.advice import checkpoint_figures, spot_figures
from planner.explain.figure import Figure
from planner.explain.memory import memory_figures
from planner.explain.money import money_figures
from planner.explain.speed import speed_figures
from planner.plan.result import Plan


def explain(plan: Plan) -> tuple[Figure, ...]:
    """Memory, speed, money, spot and checkpoint: what the plan has of them."""
    option = plan.options[0] if plan.options else None
    figures = list(memory_figures(plan))
    if option is not None:
        figures += [*speed_figures(option), *money_figures(plan, option)]
    if plan.spot is not None:
        figures += spot_figures(plan.spot)
    if plan.checkpoint is not None and option is not None:
        figures += checkpoint_figures(plan, plan.checkpoint, option)
    return tuple(figures)
