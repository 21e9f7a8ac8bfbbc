"""The documents say what is true: the card in the README is a real one and its commands work."""

import re
import shlex
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.cli import run
from bot.desk import Desk
from bot.language import words
from bot.render import render

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_the_card_in_the_readme_is_what_the_command_answers() -> None:
    desk = Desk(None, 1 / 16667, lambda: datetime(2026, 12, 1, tzinfo=UTC))
    answer = desk.answer_now("/fit llama-70b qlora")
    card = render(answer.card, "console", words("en"))
    block = "".join(f"    {line}".rstrip() + "\n" for line in card.splitlines())
    shown = README.partition("<!-- card -->\n")[2].partition("<!-- /card -->")[0]
    assert shown == f"\n{block}\n", "put the output of the command into the README"


COMMANDS = re.findall(r"^    \.venv/bin/(muat .*?)(?:\s+#.*)?$", README, re.MULTILINE)


def test_the_readme_shows_commands() -> None:
    assert len(COMMANDS) >= 6


#: A price list, and the config of a Llama of eight billion parameters.
LIST = """InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region
1H100.80S,H100,1,32,185,2.29,0.80,FIN-01
"""
CONFIG = """{"model_type": "llama", "vocab_size": 128256, "hidden_size": 4096,
"intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
"num_key_value_heads": 8}"""


@pytest.fixture
def readers_folder(
    empty_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Path:
    """What a reader of the README has at hand where it speaks of files of theirs."""
    monkeypatch.setenv("XDG_DATA_HOME", str(empty_folder / "data"))
    for name, text in (("lists/verda_vms.csv", LIST), ("path/to/config.json", CONFIG)):
        (empty_folder / name).parent.mkdir(parents=True, exist_ok=True)
        (empty_folder / name).write_text(text, encoding="utf-8")
    assert run(["catalog", "template"]) == 0
    (empty_folder / "ours.csv").write_text(capsys.readouterr().out, encoding="utf-8")
    for arguments in (["--catalog", "old.sqlite"], ["--catalog", "new.sqlite"], []):
        assert run(["catalog", "import", "lists/verda_vms.csv", *arguments]) == 0
    capsys.readouterr()
    return empty_folder


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_in_the_readme_answers(
    command: str, capsys: pytest.CaptureFixture[str], readers_folder: Path
) -> None:
    assert run(shlex.split(command.partition(" > ")[0])[1:]) in (0, 1)
    captured = capsys.readouterr()
    assert captured.out
    assert captured.err == ""


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere_and_make_targets_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert (document.parent / target).exists(), target
    for name in re.findall(r"(?:^ {4}|`)make ([a-z]+)\b", text, re.MULTILINE):
        assert re.search(rf"^{name}:", MAKEFILE, re.MULTILINE), f"make {name}"


def test_every_process_of_the_procfile_is_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    lines = (ROOT / "Procfile").read_text(encoding="utf-8").splitlines()
    assert [line.partition(":")[0] for line in lines] == ["web", "slack", "discord", "worker"]
    for line in lines:
        assert run([*shlex.split(line.partition(":")[2])[1:], "--help"]) == 0
        assert capsys.readouterr().out


@pytest.mark.parametrize(
    ("place", "command"), [("table", "accuracy"), ("speed", "accuracy --speed")]
)
def test_the_accuracy_table_is_what_the_command_prints(
    place: str, command: str, capsys: pytest.CaptureFixture[str], empty_folder: Path
) -> None:
    assert run(command.split()) == 0
    table = capsys.readouterr().out
    block = "".join(f"    {line}".rstrip() + "\n" for line in table.splitlines())
    text = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
    shown = text.partition(f"<!-- {place} -->\n")[2].partition(f"<!-- /{place} -->")[0]
    assert shown == f"\n{block}\n", f"put the output of muat {command} into docs/accuracy.md"


def test_every_setting_is_on_the_page_of_operations() -> None:
    from bot.deployment import Settings

    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`MUAT_([A-Z_]+)`", page))
    assert named == {name.upper() for name in Settings.model_fields}
