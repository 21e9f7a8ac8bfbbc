"""`muat recipe`: shown, written into a folder, or as JSON."""

import json
from pathlib import Path

import jsonschema
import pytest

from bot.cli import run


def test_files_are_written_where_they_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new" / "recipe"
    assert run(["recipe", "llama-8b qlora on aws", "--for", "dstack", "--out", str(folder)]) == 0
    assert {path.name for path in folder.iterdir()} >= {"muat.dstack.yml", "train.py"}
    assert str(folder / "train.py") in capsys.readouterr().out


def test_the_text_names_the_target_in_both_languages(capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("llama-8b qlora on aws for dstack", "llama-8b qlora di aws pakai dstack"):
        assert run(["recipe", text, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["target"] == "dstack"
        assert found["query"]["provider"] == "AWS"


def test_the_schema_describes_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "recipe"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert run(["recipe", "llama-8b lora on aws", "--json"]) == 0
    jsonschema.validate(json.loads(capsys.readouterr().out), schema)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["llama-8b qlora on hyperstack"], "Hyperstack"),
        (["llama-8b qlora on aws", "--for", "slurm"], "slurm"),
        (["qlora on aws"], "model"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    words: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["recipe", *words]) == 2
    captured = capsys.readouterr()
    assert named in captured.err and captured.err.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    folder = str(tmp_path / "file" / "below")
    assert run(["recipe", "llama-8b lora on aws", "--out", folder]) == 2
    assert folder in capsys.readouterr().err
