"""Errors that are the asker's to mend.

Refusal                  anything Muat declines, with one sentence for the asker
├── BadInput             a part of the input cannot be read or is not supported     (exit 2)
└── NotFound             the input is fine, nothing answers it                      (exit 1)
"""

from planner.notes import Note, NoteValue, note


class Refusal(Exception):
    """Carries the note that tells the asker what is wrong and what to try instead."""

    exit_code = 2

    def __init__(self, code: str, /, **values: NoteValue) -> None:
        self.note: Note = note(code, **values)
        super().__init__(code)


class BadInput(Refusal):
    """A named part of the input is wrong; the note suggests what to write instead."""


class NotFound(Refusal):
    """The question is clear but has no answer here."""

    exit_code = 1
