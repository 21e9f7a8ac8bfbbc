"""The command line as scripts use it: exit statuses, JSON on stdout, one sentence on stderr."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from bot.cli import run
from bot.grammar.values import find_key
from planner.query import Tuning

pytestmark = pytest.mark.usefixtures("empty_folder")

Captured = pytest.CaptureFixture[str]


def answer(capsys: Captured, *arguments: str) -> dict[str, object]:
    """The JSON object that a command prints, and nothing else on stdout."""
    assert run([*arguments, "--json"]) in (0, 1)
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    found = json.loads(out)
    assert isinstance(found, dict)
    return found


def refusal(capsys: Captured, *arguments: str) -> str:
    """The one sentence on stderr of a command that ends with status 2."""
    assert run(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "Traceback" not in captured.err
    return captured.err


def test_fit_answers_with_status_0_and_1(capsys: Captured) -> None:
    assert run(["fit", "llama-70b qlora"]) == 0
    assert "Fits on" in capsys.readouterr().out
    assert run(["fit", "llama-70b qlora on 1x 4090"]) == 1
    assert "Does not fit" in capsys.readouterr().out


def test_an_unknown_model_names_three_nearest(capsys: Captured) -> None:
    sentence = refusal(capsys, "fit", "gpt-ozz-20b qlora")
    assert "gpt-ozz-20b" in sentence
    assert sentence.count("/") == 3
    assert "openai/gpt-oss-20b" in sentence


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("fit", "llama-8b qlora", "--lang", "xx"), "xx"),
        (("fit",), "model"),
        (("fit", "24gb qlora"), "model"),
        (("fit", "llama-8b optimizer=adamx"), "adamx"),
        (("fit", "llama-8b colour=red"), "colour"),
        (("fit", "llama-8b lora on 8x a100 tensor_parallel=4"), "tensor_parallel"),
        (("fit", "llama-8b lora", "--catalog", "nowhere.sqlite"), "nowhere.sqlite"),
        (("fit", "sdxl lora loss=standard"), "image"),
        (("estimate", "llama-3.1-8b", "galore"), "galore"),
        (("estimate", "llama-3.1-8b"), "method"),
        (("estimate", "llama-3.1-8b", "lora", "seq_len=-5"), "seq_len"),
        (("estimate", "llama-3.1-8b", "lora", "sequence=abc"), "sequence"),
        (("estimate", "llama-3.1-8b", "lora", "max_usd_total=5"), "max_usd_total"),
        (("estimate", "llama-3.1-8b", "lora", "gpus=3", "nodes=2"), "nodes=2"),
        (("render", "nosuch"), "nosuch"),
        (("render", "fit", "--surface", "fax"), "fax"),
        (("schema", "nosuch"), "nosuch"),
        (("fitt", "llama-8b"), "fitt"),
    ],
)
def test_bad_input_is_one_sentence_that_names_the_part(
    capsys: Captured, arguments: tuple[str, ...], named: str
) -> None:
    assert named in refusal(capsys, *arguments)


def test_a_refusal_is_said_in_the_language_asked_for(capsys: Captured) -> None:
    assert "model gambar" in refusal(capsys, "fit", "sdxl lora loss=standard", "--lang", "id")
    assert "model gambar" in refusal(capsys, "fit", "sdxl lora loss=standard", "--lang=id")


def test_a_setting_that_cannot_be_read_is_named_and_its_value_is_not_shown(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUAT_IDR_PER_USD", "lots-of-s3cret")
    sentence = refusal(capsys, "fit", "llama-8b qlora")
    assert "MUAT_IDR_PER_USD" in sentence
    assert "s3cret" not in sentence


def test_a_fault_of_ours_is_an_apology_not_a_traceback(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr("bot.planning.plan_for", broken)
    assert run(["fit", "llama-8b qlora"]) == 3
    captured = capsys.readouterr()
    assert "Muat itself" in captured.err
    assert "Traceback" not in captured.err


def test_rupiah_are_converted_at_the_set_rate(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUAT_IDR_PER_USD", "10000")
    read = answer(capsys, "parse", "qwen3 8b lora budget 30rb/jam")
    assert read["max_usd_per_hour"] == pytest.approx(3.0)


def test_parse_shows_the_reading_in_words_too(capsys: Captured) -> None:
    assert run(["parse", "llama-70b qlora 4k ctx"]) == 0
    out = capsys.readouterr().out
    assert "meta-llama/Llama-3.3-70B-Instruct" in out
    assert "4096" in out


def test_estimate_takes_every_estimate_key(capsys: Captured) -> None:
    values = {
        "stack": "hf-trl", "stack_version": "4.48", "base_dtype": "bf16", "double_quant": "false",
        "precision": "amp", "kbit_preparation": "false", "global_batch": "16", "lora_rank": "8",
        "lora_targets": "q,v", "virtual_tokens": "20", "train_embeddings": "true",
        "optimizer": "adamw",
        "optimizer_states": "fp32", "master_weights": "false", "optimizer_in_backward": "false",
        "gradient_checkpointing": "true", "activation_offload": "false", "attention": "sdpa",
        "loss": "standard", "packing": "true", "torch_compile": "false", "resolution": "512",
        "images": "1", "sharding": "none", "offload": "false", "tensor_parallel": "1",
        "pipeline_parallel": "1", "expert_parallel": "1", "context_parallel": "1",
    }  # fmt: skip
    assert values.keys() == Tuning.model_fields.keys()
    pairs = [f"{key}={value}" for key, value in values.items()]
    found = answer(capsys, "estimate", "llama-3.1-8b", "lora", "seq_len=1024", "gpus=1", *pairs)
    assert isinstance(found["peak_gib"], float)
    for key in values:
        assert find_key(key).key == key


def test_an_unknown_gpu_is_a_warning_for_estimate(capsys: Captured) -> None:
    found = answer(capsys, "estimate", "llama-3.1-8b", "lora", "gpu=zorkblatt 9000")
    assert any("zorkblatt 9000" in str(one) for one in found["warnings"])  # type: ignore[attr-defined]


def test_batch_answers_line_by_line_and_a_bad_line_stops_nothing(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        '{"model": "llama-3.1-8b", "method": "qlora", "seq_len": 4096, "packing": true}',
        "not json",
        '{"model": "nosuchmodel-9b", "method": "qlora"}',
        '["a list"]',
        '{"text": "qwen3-8b lora lora_rank=8"}',
        '{"text": ' + "[" * 3000,
    ]
    monkeypatch.setattr(sys, "stdin", StringIO("\n".join(lines) + "\n"))
    assert run(["estimate", "--batch"]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert ["error" in one for one in answers] == [False, True, True, True, False, True]
    assert "nosuchmodel-9b" in answers[2]["error"]


def test_parse_batch_keeps_the_order(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["llama-8b lora", "", "qwen3-8b full"]
    stdin = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    monkeypatch.setattr(sys, "stdin", StringIO(stdin))
    assert run(["parse", "--batch"]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one.get("method") for one in answers] == ["lora", None, "full"]
    assert "error" in answers[1]


def test_prices_say_status_1_when_nobody_sells(capsys: Captured) -> None:
    assert run(["prices", "h100", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert rows == sorted(rows, key=lambda row: row["usd_per_gpu_hour"])
    assert {row["gpu"] for row in rows} == {"H100-SXM5"}
    assert run(["prices", "4080", "--json"]) == 1


def test_help_is_answered_wherever_it_is_typed(capsys: Captured) -> None:
    for typed in (["fit", "help"], ["fit", "/help"]):
        assert run(typed) == 0
        assert "/fit llama-70b" in capsys.readouterr().out


@pytest.mark.parametrize("surface", ["slack", "discord", "console", "web"])
@pytest.mark.parametrize("card", ["fit", "tight", "does_not_fit", "prices", "help", "notice"])
def test_every_sample_card_renders_on_every_surface(
    capsys: Captured, card: str, surface: str
) -> None:
    assert answer(capsys, "render", card, "--surface", surface)


def test_a_closed_pipe_is_no_fault(tmp_path: Path) -> None:
    command = f"{sys.executable} -m bot prices h100 | true"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=Path(__file__).parent.parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr


def test_a_worker_without_a_name_says_so_in_one_line(capsys: Captured) -> None:
    assert run(["worker"]) == 2
    error = capsys.readouterr().err
    assert "MUAT_WORKER_ID" in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("process", "setting"),
    [
        ("slack", "MUAT_SLACK_BOT_TOKEN"),
        ("discord", "MUAT_DISCORD_TOKEN"),
        ("serve", "MUAT_SLACK_BOT_TOKEN"),
    ],
)
def test_a_process_names_the_token_it_misses(capsys: Captured, process: str, setting: str) -> None:
    assert setting in refusal(capsys, process)
