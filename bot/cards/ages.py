"""How old prices are, in words: never silent, whatever is not known about them."""

from typing import Protocol

from bot.language import Words
from planner.plan.result import CatalogFacts, Freshness

_DAYS_FROM_HOURS = 48


class Dated(Protocol):
    """Anything with the dates of a price."""

    @property
    def as_of(self) -> str | None: ...
    @property
    def gathered_on(self) -> str | None: ...
    @property
    def freshness(self) -> Freshness: ...


def age(priced: Dated, words: Words) -> str:
    """The age of one price."""
    if priced.freshness == "sample":
        return _sample(priced, words)
    if priced.as_of is None:
        return words.t("cards.age_undated", gathered_on=_day(priced.gathered_on, words))
    return words.t("cards.age_as_of", as_of=priced.as_of)


def _sample(priced: Dated, words: Words) -> str:
    gathered_on = _day(priced.gathered_on, words)
    if priced.as_of is None:
        return words.t("cards.age_sample_undated", gathered_on=gathered_on)
    return words.t("cards.age_sample", as_of=priced.as_of, gathered_on=gathered_on)


def priced(dated: Dated, words: Words) -> str:
    """The day of one price, for a narrow column."""
    return dated.as_of or words.t("cards.undated")


def catalog(facts: CatalogFacts, words: Words) -> str:
    """Which prices stand behind a card, in one sentence."""
    if facts.freshness == "sample":
        gathered_on = _day(facts.gathered_on, words)
        return words.t("cards.catalog_sample", gathered_on=gathered_on, offers=facts.offers)
    return words.t("cards.catalog", age=_catalog_age(facts, words), offers=facts.offers)


def _catalog_age(facts: CatalogFacts, words: Words) -> str:
    hours = facts.age_hours
    if hours is None:
        return age(facts, words)
    if hours < _DAYS_FROM_HOURS:
        return words.t("cards.age_hours", age_hours=hours)
    return words.t("cards.age_days", days=round(hours / 24))


def _day(day: str | None, words: Words) -> str:
    return words.t("cards.unknown") if day is None else day
