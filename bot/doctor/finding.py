"""One thing that the doctor looked at."""

from typing import Literal

from planner.base import Frozen
from planner.notes import Note, note

State = Literal["ok", "missing", "wrong", "unknown"]


class Finding(Frozen):
    """One thing that was looked at, what was found, and what to do about it."""

    name: str
    state: State
    said: Note


def finding(name: str, state: State, code: str, **values: object) -> Finding:
    """What was found under `name`, said by the note `code` with `values`."""
    return Finding(name=name, state=state, said=note(code, **values))  # type: ignore[arg-type]
