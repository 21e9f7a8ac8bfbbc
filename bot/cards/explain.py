"""The explain card: every number of an answer with its formula and inputs."""

from bot.cards.bodies import FiguresBody
from bot.cards.card import Card, Section
from planner.explain.figure import Figure


def explain_card(figures: tuple[Figure, ...], model: str) -> Card:
    """The numbers in the order of the answer's card."""
    body = FiguresBody(model=model, figures=figures)
    return Card(
        kind="explain",
        tone="neutral",
        sections=(Section(name="figures", priority=0, body=body),),
    )
