"""The compare card: plans side by side, and the trade between them."""

from bot.cards.bodies import AssumedBody, ComparisonBody, NotesBody
from bot.cards.card import Card, Section
from planner.plan.compare import Comparison


def compare_card(found: Comparison) -> Card:
    """What `found` says, the columns in the order they were asked for."""
    body = ComparisonBody(
        columns=found.columns,
        cheapest=found.cheapest,
        fastest=found.fastest,
        notes=found.notes,
        is_one_model=len({one.model for one in found.columns}) == 1,
    )
    sections = [Section(name="comparison", priority=0, body=body)]
    if found.warnings:
        sections.append(Section(name="warnings", priority=1, body=NotesBody(notes=found.warnings)))
    assumed = AssumedBody(notes=found.assumptions, catalog=found.catalog)
    sections.append(Section(name="assumed", priority=2, body=assumed))
    verdicts = {one.verdict for one in found.columns}
    tone = "bad" if verdicts == {"does_not_fit"} else "good" if "fits" in verdicts else "warning"
    return Card(kind="compare", tone=tone, sections=tuple(sections))
