"""How often a provider takes its spot machines away, for how long, and how it says so."""

from functools import cache
from typing import NamedTuple

from planner.catalog.providers import find_provider, provider_facts
from planner.data_files import read_rows
from planner.notes import Note, note


class Rate(NamedTuple):
    """How often a provider interrupts and how long its outages last, with who says so."""

    interruptions_per_hour: float
    outage_hours: float
    is_assumed: bool
    source: str
    source_date: str

    @property
    def said_by(self) -> Note:
        """Source and date as a note; an assumption is called one."""
        if self.is_assumed:
            return note("plan.rate_assumed", source=self.source, date=self.source_date)
        return note("plan.rate_published", source=self.source, date=self.source_date)


@cache
def _rates() -> dict[str, Rate]:
    return {
        row["provider"]: Rate(
            interruptions_per_hour=float(row["interruptions_per_hour"]),
            outage_hours=float(row["outage_hours"]),
            is_assumed=row["basis"] == "assumed",
            source=row["source"],
            source_date=row["source_date"],
        )
        for row in read_rows("planner", "spot_rates.csv")
    }


def rate_of(provider: str) -> Rate:
    """The interruption rate known for `provider`, or the stated assumption."""
    known = _rates()
    return known.get(find_provider(provider) or provider, known["*"])


def notice_seconds(provider: str) -> float | None:
    """Seconds between a provider's word and the interruption; None where nobody says."""
    fact = provider_facts(provider).get("spot_notice_s")
    return float(fact.value) if fact is not None and fact.value.isdigit() else None
