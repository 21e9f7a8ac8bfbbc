"""What a provider charges beside the hourly price, as figures: billing steps, storage, egress."""

from functools import cache
from typing import NamedTuple

from planner.catalog.providers import ProviderFact, provider_facts
from planner.units import GB, GIB

_STEPS_S = {"second": 1.0, "minute": 60.0, "hour": 3600.0}
_PER_GB = {"USD/GB": 1.0, "USD/GB-month": 1.0, "USD/GiB-month": GB / GIB}


class Tariff(NamedTuple):
    """The terms of one provider that cost money; None is unknown, never 0.

    Time is billed in steps of `step_seconds`, at least `minimum_seconds` of it. Storage is USD per
    GB and month, egress USD per GB; where a provider states a range, its dear end.
    """

    step_seconds: float | None
    minimum_seconds: float | None
    storage_usd_per_gb_month: float | None
    egress_usd_per_gb: float | None

    def billed_hours(self, hours: float) -> float:
        """The hours that are paid for `hours` of use; as used where the terms are unknown."""
        step = (self.step_seconds or 0.0) / 3600
        started = -(-round(hours / step, 6) // 1) * step if step else hours
        return max(started, (self.minimum_seconds or 0.0) / 3600)


@cache
def tariff(provider: str) -> Tariff:
    """The known terms of `provider`, as its offers name it."""
    facts = provider_facts(provider)
    return Tariff(
        step_seconds=_step_seconds(facts.get("billing_granularity")),
        minimum_seconds=_seconds(facts.get("billing_minimum")),
        storage_usd_per_gb_month=_usd_per_gb(facts.get("network_storage_usd_gb_month")),
        egress_usd_per_gb=_usd_per_gb(facts.get("egress_usd_gb")),
    )


def _step_seconds(fact: ProviderFact | None) -> float | None:
    """Seconds of a billing step: "second", "minute", "hour" or, such as, "10-minute"."""
    if fact is None or not fact.value:
        return None
    number, _, unit = fact.value.rpartition("-")
    step = _STEPS_S.get(unit)
    if step is None or not (number == "" or number.isdigit()):
        return None
    return step * float(number or 1)


def _seconds(fact: ProviderFact | None) -> float | None:
    return float(fact.value) if fact is not None and fact.value.isdigit() else None


def _usd_per_gb(fact: ProviderFact | None) -> float | None:
    """USD per GB of a fact in one of the units known; a price in another currency is none."""
    share = _PER_GB.get(fact.unit or "") if fact is not None else None
    if fact is None or share is None:
        return None
    try:
        return max(float(part) for part in fact.value.split("-")) * share
    except ValueError:
        return None
