"""How old prices are is always said."""

import pytest

from bot.cards.ages import age, catalog
from bot.cards.sample import sample_plan
from bot.language import words
from planner.plan.result import CatalogFacts

WORDS = words("en")


def facts(**fields: object) -> CatalogFacts:
    known = {
        "as_of": None,
        "gathered_on": None,
        "age_hours": None,
        "freshness": "fresh",
        "offers": 426,
    }
    return CatalogFacts.model_validate(known | fields)


def test_the_bundled_sample_says_so_and_when_it_was_gathered() -> None:
    told = catalog(facts(freshness="sample", gathered_on="2026-12-01"), WORDS)
    assert told == "Prices: the bundled sample gathered on 2026-12-01, 426 offers."


@pytest.mark.parametrize(
    ("hours", "says"), [(3.0, "3.0 h old"), (30.0, "30 h old"), (240.0, "10 days old")]
)
def test_live_prices_say_how_old_they_are(hours: float, says: str) -> None:
    assert says in catalog(facts(age_hours=hours), WORDS)


def test_a_price_of_the_sample_keeps_its_own_day() -> None:
    dated, undated, _ = sample_plan().options
    assert age(dated, WORDS) == "price of 2026-11-20, from the sample gathered on 2026-12-01"
    assert age(undated, WORDS) == "undated price, from the sample gathered on 2026-12-01"


@pytest.mark.parametrize("freshness", ["fresh", "ageing", "stale", "undated", "sample"])
def test_an_age_that_nobody_knows_is_told_as_unknown(freshness: str) -> None:
    assert "undated" in age(facts(freshness=freshness), WORDS)
    assert "unknown" in age(facts(freshness=freshness), WORDS)
