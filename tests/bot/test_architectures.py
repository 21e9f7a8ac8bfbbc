"""Models outside the registry, as people ask for them: --config, `config` keys and hub ids."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from bot.cli import run
from bot.desk import Desk
from bot.language import LANGUAGES, words
from bot.render import render
from tests.standins.hub import StandinHub, standin_hub

pytestmark = pytest.mark.usefixtures("empty_folder")

ROOT = Path(__file__).parent.parent.parent
Captured = pytest.CaptureFixture[str]
#: Qwen3-8B as published.
CONFIG: dict[str, Any] = {
    "attention_bias": False, "head_dim": 128, "hidden_act": "silu", "hidden_size": 4096,
    "intermediate_size": 12288, "max_position_embeddings": 40960, "model_type": "qwen3",
    "num_attention_heads": 32, "num_hidden_layers": 36, "num_key_value_heads": 8,
    "rms_norm_eps": 1e-06, "tie_word_embeddings": False, "vocab_size": 151936,
}  # fmt: skip
CONFIG_PATH = "/acme/newcomer-8b/resolve/main/config.json"


@pytest.fixture
def config_file(empty_folder: Path) -> Path:
    path = empty_folder / "model" / "config.json"
    path.parent.mkdir()
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    return path


@pytest.fixture
def own_cache(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MUAT_CACHE", str(empty_folder / "cache"))
    return empty_folder / "cache"


def answer(capsys: Captured, *arguments: str) -> dict[str, Any]:
    assert run([*arguments, "--json"]) in (0, 1)
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def refusal(capsys: Captured, *arguments: str) -> str:
    assert run(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


# --config


@pytest.mark.parametrize("method", ["full", "lora", "qlora"])
def test_config_and_name_answer_the_same(capsys: Captured, config_file: Path, method: str) -> None:
    by_name = answer(capsys, "estimate", "qwen3-8b", method, "seq_len=4096")
    by_config = answer(capsys, "estimate", "--config", str(config_file), method, "seq_len=4096")
    assert by_config["peak_gib"] == pytest.approx(by_name["peak_gib"], rel=1e-4)
    assert by_config["trainable_params"] == pytest.approx(by_name["trainable_params"], rel=1e-4)
    assert any("counted from the sizes" in one for one in by_config["assumptions"])


def test_the_option_may_stand_anywhere_and_be_a_key(capsys: Captured, config_file: Path) -> None:
    shapes = [
        ("estimate", f"--config={config_file}", "lora"),
        ("estimate", "lora", "--config", str(config_file)),
        ("estimate", "lora", f"config={config_file}"),
        ("estimate", "method=lora", f"config={config_file}"),
    ]
    assert len({answer(capsys, *shape)["peak_gib"] for shape in shapes}) == 1


def test_a_batch_takes_a_path_in_each_line(
    capsys: Captured, config_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[dict[str, object]] = [
        {"config": str(config_file), "method": "lora"},
        {"config": "nowhere.json", "method": "lora"},
        {"config": 5, "method": "lora"},
        {"config": str(config_file), "model": "qwen3-8b", "method": "lora"},
        {"config": [1], "method": "lora"},
        {"text": f"config={config_file} lora"},
    ]
    stdin = "".join(json.dumps(line) + "\n" for line in lines)
    monkeypatch.setattr(sys, "stdin", StringIO(stdin))
    assert run(["estimate", "--batch"]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert ["error" in one for one in answers] == [False, True, True, True, True, False]
    assert "nowhere.json" in answers[1]["error"]


def test_an_unknown_model_type_is_a_warning(capsys: Captured, config_file: Path) -> None:
    config_file.write_text(json.dumps(CONFIG | {"model_type": "newcomer"}), encoding="utf-8")
    found = answer(capsys, "estimate", "--config", str(config_file), "lora")
    assert any("newcomer" in one for one in found["warnings"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "JSON"),
        (b"{", "JSON"),
        (b"\xff\xfe", "JSON"),
        (b"[" * 100_000, "JSON"),
        (b'{"hidden_size": ' + b"9" * 5000 + b"}", "JSON"),
        (b"[]", "JSON"),
        (b"{}", "hidden_size"),
        (b'{"_class_name": "UNet2DConditionModel", "sample_size": 64}', "num_hidden_layers"),
        (json.dumps(CONFIG | {"hidden_size": -4096}).encode(), "-4096"),
        (json.dumps(CONFIG | {"hidden_size": "4096; rm"}).encode(), "4096; rm"),
        (json.dumps(CONFIG | {"num_key_value_heads": 7}).encode(), "7"),
        (b" " * 2_000_000, "1,024|1.024"),
    ],
)  # fmt: skip
def test_a_bad_config_is_one_sentence(
    capsys: Captured, config_file: Path, content: bytes, named: str, language: str
) -> None:
    config_file.write_bytes(content)
    sentence = refusal(capsys, "estimate", "--config", str(config_file), "lora", "--lang", language)
    assert any(one in sentence for one in named.split("|"))


def test_no_file_is_named(capsys: Captured, empty_folder: Path) -> None:
    assert "nowhere.json" in refusal(capsys, "estimate", "--config", "nowhere.json", "lora")
    assert "folder" in refusal(capsys, "estimate", "--config", str(empty_folder), "lora")
    assert "method" in refusal(capsys, "estimate", "--config", "nowhere.json")
    assert "qwen3-8b" in refusal(capsys, "estimate", "qwen3-8b", "lora", "--config", "nowhere.json")


def test_a_chat_cannot_name_files_of_the_server(config_file: Path) -> None:
    answered = desk_says(f"/fit config={config_file} qlora")
    assert "config" in answered
    assert "4096" not in answered


# Hub ids


def desk_says(text: str) -> str:
    desk = Desk(None, 1 / 16667, lambda: datetime(2026, 12, 1, tzinfo=UTC))
    answered = desk.answer_now(text)
    return render(answered.card, "console", words(answered.language))


def test_estimate_fit_and_chat_ask_the_hub_once(
    capsys: Captured, hub: StandinHub, own_cache: Path
) -> None:
    hub.put(CONFIG_PATH, json.dumps(CONFIG).encode())
    by_name = answer(capsys, "estimate", "qwen3-8b", "qlora")
    by_hub = answer(capsys, "estimate", "acme/newcomer-8b", "qlora")
    assert by_hub["peak_gib"] == pytest.approx(by_name["peak_gib"], rel=1e-4)
    assert any("acme/newcomer-8b" in one for one in by_hub["assumptions"])
    asked = len(hub.asked)
    fit = answer(capsys, "fit", "acme/newcomer-8b qlora on 1x 4090")
    assert fit["query"]["model"] == "acme/newcomer-8b"
    assert sum("is not in the registry" in one for one in fit["assumptions"]) == 1
    assert "newcomer-8b" in desk_says("/fit acme/newcomer-8b qlora")
    assert len(hub.asked) == asked
    assert [path.name for path in (own_cache).iterdir()] == ["acme--newcomer-8b.json"]


def test_the_registry_is_never_asked_at_the_hub(capsys: Captured, hub: StandinHub) -> None:
    answer(capsys, "estimate", "Qwen/Qwen3-8B", "qlora")
    answer(capsys, "fit", "someone/Llama-3.1-8B qlora")
    refusal(capsys, "estimate", "nosuchmodel-9b", "qlora")
    assert hub.asked == []


def test_a_hub_model_of_unknown_type_warns_on_the_card(hub: StandinHub, own_cache: Path) -> None:
    hub.put(CONFIG_PATH, json.dumps(CONFIG | {"model_type": "newcomer"}).encode())
    assert '"newcomer"' in desk_says("/fit acme/newcomer-8b qlora")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("status", "named"), [(404, "hub"), (403, "gated"), (500, "500")])
def test_what_the_hub_refuses_is_one_sentence(
    capsys: Captured, hub: StandinHub, own_cache: Path, status: int, named: str, language: str
) -> None:
    hub.put(CONFIG_PATH, b"", status)
    sentence = refusal(capsys, "estimate", "acme/newcomer-8b", "qlora", "--lang", language)
    assert "acme/newcomer-8b" in sentence
    assert named in sentence
    assert "acme/newcomer-8b" in desk_says("/fit acme/newcomer-8b qlora")


def muat(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A fresh process that runs `code`."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if "proxy" not in name.lower() and name != "HF_HUB_OFFLINE"
    }
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_endpoint_is_that_of_the_environment(tmp_path: Path) -> None:
    code = (
        "from bot.cli import run; raise SystemExit(run(['estimate', 'acme/newcomer-8b', 'lora']))"
    )
    with standin_hub() as hub:
        hub.put(CONFIG_PATH, json.dumps(CONFIG).encode())
        done = muat(code, HF_ENDPOINT=hub.url, MUAT_CACHE=str(tmp_path))
    assert done.returncode == 0, done.stderr
    offline = muat(code, HF_ENDPOINT=hub.url, MUAT_CACHE=str(tmp_path), HF_HUB_OFFLINE="1")
    assert offline.stdout == done.stdout


@pytest.mark.parametrize(
    "arguments", [["estimate", "qwen3-8b", "lora"], ["estimate", "--config", "FILE", "lora"]]
)
def test_what_needs_no_hub_does_not_load_it(config_file: Path, arguments: list[str]) -> None:
    words = [str(config_file) if word == "FILE" else word for word in arguments]
    heavy = "('huggingface_hub', 'httpx2', 'planner.models.hub.remote')"
    done = muat(
        f"import sys; from bot.cli import run; run({words!r});"
        f"raise SystemExit([one for one in {heavy} if one in sys.modules] or 0)"
    )
    assert done.returncode == 0, done.stderr
    assert "GiB" in done.stdout
