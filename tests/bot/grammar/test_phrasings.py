"""Readings that must be right in every key a row states: gathered questions, and our own."""

import csv
import json
from pathlib import Path

import pytest

from bot.grammar import read
from bot.grammar.command import Command

HERE = Path(__file__).parent
#: Any of these says that a default was taken where the text leaves something open.
DEFAULT_NOTES = {
    "models.ambiguous_default",
    "models.read_as",
    "grammar.size_taken_as",
    "grammar.last_alternative_taken",
    "grammar.rupiah_converted_hourly",
}
#: Rows of chat_queries.csv whose expectation was changed, and why. None is left out.
CHANGED = {
    "sd 1.5 dreambooth 8gb": "dreambooth is no method of Muat: read as none and named in a note",
    "is QLoRA worse than LoRA?": "both methods are named, so the one-method field stays empty",
}


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def differences(command: Command, expected: dict[str, object]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, wanted in expected.items():
        got: object
        if key == "default_noted":
            got = any(note.code in DEFAULT_NOTES for note in command.notes)
        elif key == "notes":
            got = len(command.notes)
        elif key == "training":
            got = command.training.model_dump()
        else:
            got = getattr(command, key)
        got = list(got) if isinstance(got, tuple) else got
        wanted = pytest.approx(wanted, rel=1e-4) if isinstance(wanted, float) else wanted
        if got != wanted:
            found[key] = f"wanted {wanted!r}, got {got!r}"
    return found


@pytest.mark.parametrize("row", rows("chat_queries.csv"), ids=lambda row: row["text"][:60])
def test_the_gathered_questions_read_right(row: dict[str, str]) -> None:
    assert not differences(read(row["text"]), json.loads(row["expected"]))


def test_all_gathered_questions_are_there() -> None:
    texts = {row["text"] for row in rows("chat_queries.csv")}
    assert len(texts) == 65
    assert texts >= CHANGED.keys()


@pytest.mark.parametrize("row", rows("phrasings.csv"), ids=lambda row: row["text"][:60])
def test_other_phrasings_read_right(row: dict[str, str]) -> None:
    assert not differences(read(row["text"]), json.loads(row["expected"]))


def test_dreambooth_is_named_as_a_method_that_is_not_planned() -> None:
    notes = read("sd 1.5 dreambooth 8gb").notes
    said = [note for note in notes if note.code == "grammar.method_not_supported"]
    assert said[0].values["methods"] == ("dreambooth",)
