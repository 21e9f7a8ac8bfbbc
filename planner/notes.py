"""Notes: what a reader must be told, as a code and values. The words for a code live in
templates/locale.
"""

from collections.abc import Callable
from typing import Any

from pydantic import Field, SerializationInfo, model_serializer

from planner.base import Frozen

NoteValue = str | int | float | bool | tuple[str, ...]


class Note(Frozen):
    """One thing worth saying: `code` names the sentence, `values` fill its placeholders.

    Serialised it is a plain string: the words that the `say` function in the serialisation context
    gives, or the bare code where nobody gave one.
    """

    code: str
    values: dict[str, NoteValue] = Field(default_factory=dict)

    @model_serializer(mode="plain")
    def _as_words(self, info: SerializationInfo) -> str:
        context: dict[str, Any] = info.context or {}
        say: Callable[[Note], str] | None = context.get("say")
        return say(self) if say else self.code


def note(code: str, /, **values: NoteValue) -> Note:
    """A note for `code` with the values its sentence needs."""
    return Note(code=code, values=values)
