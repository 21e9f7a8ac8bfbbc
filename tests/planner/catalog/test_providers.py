"""Names of providers, and what is known about their terms."""

from collections import defaultdict

import pytest

from planner.catalog import providers
from planner.data_files import read_rows


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("runpod", "RunPod"),
        ("run pod", "RunPod"),
        ("RunPod Secure", "RunPod"),
        ("vast", "Vast.ai"),
        ("vast.ai", "Vast.ai"),
        ("DataCrunch", "Verda"),
        ("google cloud", "GCP"),
        ("Amazon", "AWS"),
        ("Crusoe (via Shadeform)", "Crusoe"),
        ("kaggle", "Kaggle"),
        ("Google Colab", "Colab"),
    ],
)
def test_what_people_type_finds_the_provider(typed: str, name: str) -> None:
    assert providers.find_provider(typed) == name


def test_an_unknown_name_is_no_provider() -> None:
    assert providers.find_provider("my cluster") is None


def test_no_name_means_two_providers() -> None:
    meant = defaultdict(set)
    for row in read_rows("planner.catalog", "providers.csv"):
        for alias in (row["name"], *filter(None, row["aliases"].split(";"))):
            meant[providers.normalise(alias)].add(row["name"])
    assert {alias: names for alias, names in meant.items() if len(names) > 1} == {}


def test_every_offer_and_every_fact_has_its_provider() -> None:
    for file_name in ("offers.csv", "provider_facts.csv"):
        for row in read_rows("planner.catalog", file_name):
            assert providers.find_provider(row["provider"]), row["provider"]


def test_a_broker_shows_beside_the_operator() -> None:
    assert providers.offered_as("RunPod Secure") == "RunPod"
    assert providers.offered_as("Massedcompute (via Shadeform)") == "Massed Compute (via Shadeform)"
    assert providers.sells_as("Crusoe") == {"Crusoe", "Crusoe (via Shadeform)"}


@pytest.mark.parametrize(
    ("provider", "kind"), [("AWS", "cloud"), ("Vast.ai", "marketplace"), ("Kaggle", "notebook")]
)
def test_kinds(provider: str, kind: str) -> None:
    assert providers.provider_kind(provider) == kind


def test_notebook_services_sell_no_hours() -> None:
    assert providers.sells_as("Kaggle") == providers.sells_as("Colab") == frozenset()


def test_facts_carry_their_source_and_date() -> None:
    notice = providers.provider_facts("AWS")["spot_notice_s"]
    assert (notice.value, notice.unit) == ("120", "s")
    assert notice.source.startswith("https://docs.aws.amazon.com")
    assert notice.read_on == "2026-12-01"


def test_facts_recorded_under_an_old_name_are_found_under_the_new_one() -> None:
    assert providers.provider_facts("Verda")["billing_granularity"].value


def test_a_brokers_terms_are_not_the_operators() -> None:
    assert providers.provider_facts("Crusoe")
    assert providers.provider_facts("Crusoe (via Shadeform)") == {}


def test_nothing_is_known_about_a_stranger() -> None:
    assert providers.provider_facts("Our DC") == {}
