"""A command: what the words in a message ask Muat to do."""

from typing import Literal

from planner.notes import Note
from planner.query import Language, Method, PlanQuery

CommandName = Literal[
    "fit", "compare", "prices", "recipe", "explain", "watch", "digest", "ask", "help", "unknown"
]


class Command(PlanQuery):
    """A reading of one text. The singular fields (`model`, `method`, `gpu`, `provider`) are set
    when exactly one is named; `methods` only where there are several. `target` is what a
    recipe is for.

    `gpus` entries carry their count where one was typed ("4x RTX-4090"). `notes` say which
    defaults the reading took and name every word it did not understand.
    """

    command: CommandName = "unknown"
    models: tuple[str, ...] = ()
    methods: tuple[Method, ...] = ()
    gpus: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    target: str | None = None
    language: Language = "en"
    notes: tuple[Note, ...] = ()

    def query(self) -> PlanQuery:
        """The planner's part of the command."""
        return PlanQuery(**{name: getattr(self, name) for name in PlanQuery.model_fields})
