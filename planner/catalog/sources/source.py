"""What every source of offers answers: what it read, what it could not trust, or why it failed."""

from datetime import datetime
from typing import NamedTuple, Protocol

from planner.base import Frozen
from planner.catalog.offer import Offer
from planner.errors import Refusal
from planner.notes import Note


class Quarantined(Frozen):
    """A row that was read and not trusted: where it stands in its source, and why it is out.

    `line` counts data rows from 1. `text` is the row as the source states it, shortened.
    """

    source: str
    line: int
    provider: str
    instance_type: str
    reason: Note
    text: str


class Reading(NamedTuple):
    """All that one source said: offers to keep, rows set aside, and how many rows there were.

    Rows may be merged (a host and its GPUs) or expanded (a list of regions), so offers and
    quarantined rows need not add up to `rows_read`.
    """

    offers: tuple[Offer, ...]
    quarantined: tuple[Quarantined, ...]
    rows_read: int


class SourceUnavailable(Refusal):
    """A source could not be read at all; what it said before stays in the catalog."""


class Source(Protocol):
    """A feed of offers. `name` is stable: rows of the same name replace each other."""

    @property
    def name(self) -> str:
        """Such as "bundled", "skypilot:lambda", "gpuhunt:vastai", "team:prices.yaml"."""
        ...

    def read(self, now: datetime) -> Reading:
        """Everything the source says at the zone-aware `now`.

        Raises SourceUnavailable where nothing can be read: no file, no network, no credentials.
        """
        ...
