"""Terms that cost money, as figures."""

import pytest

from planner.catalog.providers import facts_providers, provider_facts
from planner.catalog.tariffs import Tariff, tariff


@pytest.mark.parametrize(
    ("hours", "step", "minimum", "billed"),
    [
        (0.76, 3600, None, 1.0),
        (1.0, 3600, None, 1.0),
        (0.05, 600, 600, 1 / 6),
        (0.34, 600, 600, 0.5),
        (0.001, 1, 60, 1 / 60),
        (0.76, None, None, 0.76),
        (0.0, 60, None, 0.0),
    ],
)
def test_billed_hours(
    hours: float, step: float | None, minimum: float | None, billed: float
) -> None:
    assert Tariff(step, minimum, None, None).billed_hours(hours) == pytest.approx(billed)


def test_a_price_per_gib_is_less_per_gb() -> None:
    """Nebius states 0.08 USD per GiB-month: 1 GB is 0.931 GiB."""
    found = tariff("Nebius").storage_usd_per_gb_month
    assert found == pytest.approx(0.08 * 1e9 / 2**30)


def test_another_currency_is_no_price_in_dollars() -> None:
    fact = provider_facts("Verda")["network_storage_usd_gb_month"]
    if "EUR" in (fact.unit or ""):
        assert tariff("Verda").storage_usd_per_gb_month is None


def test_of_a_range_the_dear_end_counts() -> None:
    low, _, high = provider_facts("Vast.ai")["egress_usd_gb"].value.partition("-")
    assert tariff("Vast.ai").egress_usd_per_gb == float(high) > float(low)


@pytest.mark.parametrize("provider", facts_providers())
def test_every_providers_billing_step_is_read(provider: str) -> None:
    assert "billing_granularity" not in provider_facts(provider) or tariff(provider).step_seconds


def test_nothing_is_known_of_a_stranger() -> None:
    assert tariff("nobody") == Tariff(None, None, None, None)
