"""What to know about a provider before renting there: billing, disks, environment, storage."""

from planner.catalog.providers import ProviderFact, provider_facts
from planner.notes import Note, note

_ENVIRONMENT = (
    ("ssh", "SSH"),
    ("docker_image", "Docker"),
    ("jupyter", "Jupyter"),
    ("kubernetes", "Kubernetes"),
    ("slurm", "Slurm"),
)


def provider_terms(provider: str) -> tuple[Note, ...]:
    """The known terms of `provider`, shortest first; what nobody has read is left out."""
    facts = provider_facts(provider)
    found = (_billing(facts), _stopping(facts), _environment(facts), _storage(facts))
    return tuple(one for one in found if one is not None)


def _value(facts: dict[str, ProviderFact], name: str) -> str | None:
    fact = facts.get(name)
    return fact.value if fact and fact.value else None


def _billing(facts: dict[str, ProviderFact]) -> Note | None:
    unit = _value(facts, "billing_granularity")
    if unit is None:
        return None
    if unit == "second":
        return note("plan.billed_per_second")
    if unit == "minute":
        return note("plan.billed_per_minute")
    if unit == "hour":
        return note("plan.billed_per_hour")
    minutes = unit.removesuffix("-minute")
    if minutes.isdigit():
        return note("plan.billed_per_minutes", minutes=int(minutes))
    return note("plan.billed_per", unit=unit)


def _stopping(facts: dict[str, ProviderFact]) -> Note | None:
    keeps, billed = _value(facts, "stop_keeps_disk"), _value(facts, "stopped_disk_billed")
    if keeps is None:
        return None
    if keeps.startswith("n"):
        return note("plan.stop_loses_disk")
    if billed is None:
        return note("plan.stop_keeps_disk")
    if billed.startswith("y"):
        return note("plan.stop_keeps_disk_billed")
    return note("plan.stop_keeps_disk_free")


def _environment(facts: dict[str, ProviderFact]) -> Note | None:
    offered = tuple(
        shown for name, shown in _ENVIRONMENT if (_value(facts, name) or "").startswith("y")
    )
    return note("plan.environment", offered=offered) if offered else None


def _storage(facts: dict[str, ProviderFact]) -> Note | None:
    has, price = _value(facts, "network_storage"), facts.get("network_storage_usd_gb_month")
    if has is None or not has.startswith("y"):
        return None if has is None else note("plan.no_network_storage")
    if price is None or not price.value:
        return note("plan.network_storage")
    return note("plan.network_storage_price", price=price.value, unit=price.unit or "")
