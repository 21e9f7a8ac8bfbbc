"""A card: what an answer shows, as sections with priorities. Still codes and numbers, no words."""

from typing import Any, Literal

from planner.base import Frozen

Kind = Literal[
    "fit", "compare", "explain", "recipe", "prices", "help", "notice", "answer", "digest", "watch"
]
Tone = Literal["good", "warning", "bad", "neutral"]
SectionName = Literal[
    "verdict", "choice", "memory", "options", "spot", "checkpoint", "provider", "alternatives",
    "warnings", "assumed", "comparison", "figures", "recipe", "prices", "topics", "message",
    "answer", "digest", "watched", "watches",
]  # fmt: skip


class Section(Frozen):
    """One part of a card. Priority 0 always stays; the highest number leaves first."""

    name: SectionName
    priority: int
    body: Any


class Card(Frozen):
    """An answer ready to be laid out. `kind` names the template: templates/<surface>/<kind>.*"""

    kind: Kind
    tone: Tone
    sections: tuple[Section, ...]

    def without_least_important(self) -> "Card | None":
        """The same card without its lowest-priority section; None when nothing more may leave."""
        droppable = [s for s in self.sections if s.priority > 0]
        if not droppable:
            return None
        victim = max(droppable, key=lambda s: s.priority)
        return self.model_copy(
            update={"sections": tuple(s for s in self.sections if s is not victim)}
        )
