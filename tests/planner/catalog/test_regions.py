"""Places people type against the free text of offers' regions."""

import pytest

from planner.catalog.regions import Region, distance_km, find_region, region_matches
from planner.data_files import read_rows

#: Region texts of bundled offers that name no place at all.
PLACELESS = {
    "25 zones listed, none in SE Asia in this file", "default", "list price", "sold out",
    "global list price; availability per region unknown", "marketplace", "serverless",
}  # fmt: skip


def region(text: str) -> Region:
    found = find_region(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("typed", "inside", "outside"),
    [
        ("Jakarta", "ap-southeast-3 (Jakarta)", "ap-southeast-1 (Singapore)"),
        ("indonesia", "ap-southeast-3 (Jakarta)", "Thailand, TH, AS"),
        ("Singapura", "asia-southeast1-b (Singapore)", "Vietnam, VN, AS"),
        ("southeast asia", "Thailand, TH, AS", "Japan, JP, AS"),
        (
            "southeast asia",
            "ap-southeast-3 (Jakarta)",
            "25 zones listed, none in SE Asia in this file",
        ),
        ("asia", "IN2 (India)", "Australia, AU, OC"),
        ("asia", "17 regions, same price; nearest asia-northeast-1/2, asia-south-1", "US"),
        ("eu", "FIN-03", "us-east-1"),
        ("eu", "europe-west4-a", "United States, US, NA"),
        ("Europe", "India / Europe", "IN1 (India)"),
        ("us", "eastus", "CANADA-1"),
        ("us", ", US, NA", "AU"),
        ("US", "17 regions, same price; nearest asia-northeast-1/2, asia-south-1", "JP"),
        ("north america", "North America list price", "RO"),
        ("canada", "calgary-canada-1", "houston-usa-1"),
        ("Finland", "FIN-01", "Sweden, SE, EU"),
        ("us-east-1", "us-east-1", "us-east-2"),
        ("us-east-1", "us-east-1", "eastus"),
        ("ap-southeast-3", "ap-southeast-3 (Jakarta)", "ap-southeast-1 (Singapore)"),
        ("us-central1", "us-central1-c", "us-east4-c"),
        ("FIN-01", "FIN-01", "FIN-02"),
    ],
)
def test_a_place_holds_its_regions_and_no_others(typed: str, inside: str, outside: str) -> None:
    assert region_matches(inside, region(typed))
    assert not region_matches(outside, region(typed))


def test_near_jakarta_is_nearest_first_and_ends_somewhere() -> None:
    near = region("near Jakarta")
    by_distance = [
        distance_km(text, near)
        for text in ("ap-southeast-3 (Jakarta)", "ap-southeast-1 (Singapore)", "Thailand, TH, AS",
                     "IN2 (India)", "ap-northeast-1")
    ]  # fmt: skip
    assert by_distance == sorted(by_distance, key=lambda d: d if d is not None else -1)
    assert by_distance[0] == 0
    # 890 km as the crow flies; the table's whole degrees allow for a tenth
    assert by_distance[1] == pytest.approx(890, rel=0.1)
    assert not region_matches("us-east-1", near)
    assert not region_matches("FIN-01", near)


def test_an_unknown_place_is_nowhere_near() -> None:
    for text in (*PLACELESS, None, ""):
        for typed in ("near Jakarta", "us", "asia", "eu"):
            assert distance_km(text, region(typed)) is None, text


def test_every_other_bundled_region_lies_somewhere() -> None:
    texts = {row["region"] for row in read_rows("planner.catalog", "offers.csv")} - PLACELESS
    areas = [region(typed) for typed in ("asia", "europe", "north america", "oceania")]
    lost = [text for text in texts if not any(region_matches(text, area) for area in areas)]
    assert lost == []


@pytest.mark.parametrize(
    ("typed", "label"),
    [
        ("near jakarta", "near Jakarta"),
        ("dekat jakarta", "dekat Jakarta"),
        ("Dekat  Singapura", "Dekat Singapura"),
        ("us", "US"),
        ("us-east-1", "us-east-1"),
        ("southeast asia", "Southeast Asia"),
    ],
)
def test_the_label_reads_back_as_the_same_region(typed: str, label: str) -> None:
    found = region(typed)
    assert found.label == label
    assert region(found.label) == found


def test_a_region_id_no_table_lists_is_kept_as_typed() -> None:
    """D061: a new region must not be hidden by a list."""
    found = region("eu-west-4")
    assert (found.label, found.place, found.is_id) == ("eu-west-4", None, True)
    assert region_matches("eu-west-4 (new)", found)


@pytest.mark.parametrize(
    ("typed", "place"), [("FIN-04", "helsinki"), ("europe-west4-b", "amsterdam")]
)
def test_a_new_site_of_a_known_region_is_known_by_its_name(typed: str, place: str) -> None:
    assert (region(typed).place, region(typed).is_id) == (place, True)


@pytest.mark.parametrize(
    "text",
    [
        "banana",
        "as",
        "in",
        "it",
        "near",
        "",
        "8b",
        "a100",
        "phi-4",
        "qwen3",
        "gpt-2",
        "mistral-small-3",
    ],
)
def test_other_words_are_no_region(text: str) -> None:
    assert find_region(text) is None


def test_no_name_means_two_places() -> None:
    rows = read_rows("planner.catalog", "regions.csv")
    names = [name for row in rows for name in row["names"].split(";") if name]
    codes = [code for row in rows for code in row["codes"].split(";") if code]
    assert len(names) == len(set(names))
    assert len(codes) == len(set(codes))
    assert all(row["source"] for row in rows)
