"""Who rents GPUs out: one canonical name per provider, and the facts about its terms."""

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows

_PACKAGE = "planner.catalog"
_NOT_NAME = re.compile(r"[^a-z0-9]+")
_BROKERED = re.compile(r"\s*\(via ([^)]+)\)$")


class ProviderFact(NamedTuple):
    """One sourced statement about a provider; `value` begins with "y" or "n" for a yes or no."""

    fact: str
    value: str
    unit: str | None
    source: str
    source_date: str | None
    read_on: str
    confidence: str
    note: str | None


def find_provider(text: str) -> str | None:
    """The canonical name of the provider a text names ("run pod", "datacrunch"), None if none."""
    return _by_alias().get(normalise(_BROKERED.sub("", text.strip())))


def provider_aliases() -> Mapping[str, str]:
    """Folded name or alias (`normalise`) to canonical name."""
    return _by_alias()


def provider_kind(provider: str) -> str:
    """cloud, marketplace or notebook; KeyError for a name that is not canonical."""
    return _rows()[provider]["kind"]


def offered_as(provider: str) -> str:
    """The name an offer shows for its provider: the canonical one, and the broker if one sells."""
    broker = _BROKERED.search(provider)
    operator = find_provider(provider)
    if operator is None:
        return provider
    return f"{operator} (via {broker.group(1)})" if broker else operator


def sells_as(provider: str) -> frozenset[str]:
    """The names (`offered_as`) under which offers of a provider, or through a broker, appear."""
    names = _rows()[provider]["offers_as"].split(";") if provider in _rows() else ()
    return frozenset(offered_as(name) for name in names if name)


def provider_facts(provider: str) -> dict[str, ProviderFact]:
    """What is known about a provider's terms, by fact name; empty where nothing is.

    An offer sold through a broker has the broker's terms, of which nothing is known.
    """
    if _BROKERED.search(provider):
        return {}
    return _facts().get(find_provider(provider) or provider, {})


def facts_providers() -> tuple[str, ...]:
    """The providers of which facts are known."""
    return tuple(_facts())


def normalise(text: str) -> str:
    """The folded form of a provider's name: lower case letters and digits."""
    return _NOT_NAME.sub("", text.lower())


@cache
def _rows() -> dict[str, dict[str, str]]:
    return {row["name"]: row for row in read_rows(_PACKAGE, "providers.csv")}


@cache
def _by_alias() -> dict[str, str]:
    found: dict[str, str] = {}
    for name, row in _rows().items():
        brokered = ";".join(n for n in row["offers_as"].split(";") if not _BROKERED.search(n))
        for alias in (name, *row["aliases"].split(";"), *brokered.split(";")):
            if alias:
                found[normalise(alias)] = name
    return found


@cache
def _facts() -> dict[str, dict[str, ProviderFact]]:
    canonical = {row["facts_as"]: name for name, row in _rows().items() if row["facts_as"]}
    facts: dict[str, dict[str, ProviderFact]] = {}
    for row in read_rows(_PACKAGE, "provider_facts.csv"):
        facts.setdefault(canonical[row["provider"]], {})[row["fact"]] = ProviderFact(
            fact=row["fact"],
            value=row["value"],
            unit=row["unit"] or None,
            source=row["source"],
            source_date=row["source_date"] or None,
            read_on=row["read_on"],
            confidence=row["confidence"],
            note=row["note"] or None,
        )
    return facts
