"""`muat spot`: keys, words, JSON Lines, and what is wrong with them."""

import io
import json
from typing import Any

import jsonschema
import pytest

from bot.cli import run
from planner.spot.expected import expected
from planner.spot.interval import daly_interval_hours
from planner.spot.job import SpotJob

KEYS = {
    "recommend", "expected_hours_spot", "expected_usd_spot", "expected_usd_on_demand",
    "probability_in_time", "break_even_interruptions_per_hour", "checkpoint_interval_minutes",
    "overhead_fraction", "why",
}  # fmt: skip
JOB = (
    "hours=12 on_demand=2.5 spot=0.9 interruptions_per_hour=0.3 outage_hours=1 "
    "save_seconds=30 load_seconds=120"
)


def answered(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert run(["spot", *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["spot", *words]) == 2
    captured = capsys.readouterr()
    assert not captured.out
    assert captured.err.count("\n") == 1
    return captured.err


def test_the_answer_has_the_keys_and_the_closed_forms(capsys: pytest.CaptureFixture[str]) -> None:
    found = answered(capsys, *JOB.split())
    assert set(found) >= KEYS
    job = SpotJob(12, 0.9, 2.5, 0.3, 1.0, 30, 120)
    by_hand = expected(job, daly_interval_hours(30, 0.3))
    assert found["expected_usd_spot"] == pytest.approx(by_hand.usd)
    assert found["expected_hours_spot"] == pytest.approx(by_hand.hours)
    assert found["expected_usd_on_demand"] == 30.0
    assert found["checkpoint_interval_minutes"] == pytest.approx(daly_interval_hours(30, 0.3) * 60)
    assert (found["recommend"], found["probability_in_time"]) == ("spot", None)
    assert not found["assumptions"]


def test_what_is_not_said_is_assumed_aloud(capsys: pytest.CaptureFixture[str]) -> None:
    """D074: an unknown rate is a stated assumption with its source."""
    found = answered(capsys, "hours=40", "on_demand=2", "spot=1")
    assert len(found["assumptions"]) == 4
    assert "skypilot-org/spot-traces" in found["assumptions"][0]
    assert found["expected_hours_spot"] > 40


@pytest.mark.parametrize(
    "text",
    [
        "12h on-demand $2.5 spot $0.9 deadline 20h interrupted every 4 hours 30 s save",
        "12 jam on-demand $2.5 spot $0.9 tenggat 20 jam putus tiap 4 jam simpan 30 detik",
    ],
)
def test_words_mean_what_the_keys_mean(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    keys = (
        "hours=12 on_demand=2.5 spot=0.9 deadline_hours=20 interruptions_per_hour=0.25 "
        "save_seconds=30"
    )
    by_words, by_keys = answered(capsys, text), answered(capsys, *keys.split())
    for key in KEYS - {"why"}:
        assert by_words[key] == by_keys[key]


def test_every_language_says_it_in_its_own_words(capsys: pytest.CaptureFixture[str]) -> None:
    said = {}
    for language in ("en", "id"):
        assert run(["spot", *JOB.split(), "deadline_hours=20", "--lang", language]) == 0
        said[language] = capsys.readouterr().out
    assert "Chance that spot alone is in time" in said["en"]
    assert said["en"] != said["id"]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("hours=12", "on_demand, spot"),
        ("hours=twelve on_demand=2 spot=1", "twelve"),
        ("hours=0 on_demand=2 spot=1", "hours"),
        ("hours=12 on_demand=-2 spot=1", "on_demand"),
        ("hours=12 on_demand=2 spot=nan", "nan"),
        ("hours=12 on_demand=2 spot=1 save_second=5", "save_second"),
        ("hours=12 on_demand=2 spot=1 interruptions_per_hour=-1", "interruptions_per_hour"),
        ("hours=12 on_demand=2 spot=1 provider=nobody", "nobody"),
        ("hours=1e9 on_demand=2 spot=1", "1e9"),
    ],
)
def test_what_is_wrong_is_named(words: str, named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert named in refused(capsys, *words.split())


def test_a_bad_line_stops_no_other(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        {"hours": 12, "on_demand": 2.5, "spot": 0.9},
        {"hours": 12},
        {"text": "12h on-demand $2.5 spot $0.9"},
        {"hours": True, "on_demand": 2.5, "spot": 0.9},
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(map(json.dumps, lines)) + "\n{\n"))
    assert run(["spot", "--batch"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert ["error" in one for one in found] == [False, True, False, True, True]
    assert found[0]["expected_usd_spot"] == found[2]["expected_usd_spot"]


def test_the_schema_describes_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "spot"]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.validate(answered(capsys, *JOB.split()), schema)
