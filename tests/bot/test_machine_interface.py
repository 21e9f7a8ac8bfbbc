"""The machine interface: scripts rely on these keys, and answers obey their published schema."""

import json
from typing import Any

import jsonschema
import pytest

from bot.cli import run

pytestmark = pytest.mark.usefixtures("empty_folder")

QUERY = {
    "model", "method", "gpu", "gpu_count", "nodes", "vram_gib", "market", "region", "provider",
    "max_usd_per_hour", "max_usd_total", "deadline_hours", "rental_hours", "samples", "tokens",
    "epochs", "seq_len", "micro_batch", "training", "needs",
}  # fmt: skip
ESTIMATE = {
    "peak_gib", "low_gib", "high_gib", "breakdown", "static_gib", "allocated_gib", "reserved_gib",
    "device_gib", "peak_phase", "host_ram_gib", "trainable_params", "total_params",
    "active_params", "evidence", "assumptions", "warnings",
}  # fmt: skip
BREAKDOWN = {
    "weights", "adapters", "gradients", "optimizer", "activations", "logits", "temporary",
    "context", "fragmentation",
}  # fmt: skip
OPTION = {
    "label", "provider", "instance_type", "gpu", "gpu_count", "nodes", "interconnect", "region",
    "market", "usd_per_hour", "hours", "usd_total", "tokens_per_s", "sharding", "micro_batch",
    "gradient_accumulation", "gradient_checkpointing", "device_gib", "headroom_gib",
    "host_ram_gib", "as_of", "freshness", "why",
}  # fmt: skip
SPOT = {
    "recommend", "expected_hours_spot", "expected_usd_spot", "expected_usd_on_demand",
    "interruptions_per_hour", "rate_source", "break_even_interruptions_per_hour", "why",
}  # fmt: skip
CHECKPOINT = {
    "size_gib", "write_seconds", "interval_minutes", "interval_steps", "keep_last",
    "overhead_fraction", "storage", "why",
}  # fmt: skip
FIT = {
    "query", "verdict", "estimate", "options", "spot", "checkpoint", "alternatives", "catalog",
    "assumptions", "warnings",
}  # fmt: skip
CATALOG = {"as_of", "gathered_on", "age_hours", "freshness", "offers"}

Captured = pytest.CaptureFixture[str]


def answer(capsys: Captured, *arguments: str) -> dict[str, Any]:
    """What a command answers, checked against the schema that `muat schema` publishes for it."""
    assert run([*arguments, "--json"]) in (0, 1)
    found = json.loads(capsys.readouterr().out)
    assert run(["schema", arguments[0]]) == 0
    jsonschema.validate(found, json.loads(capsys.readouterr().out))
    assert isinstance(found, dict)
    return found


def test_parse(capsys: Captured) -> None:
    found = answer(capsys, "parse", "llama-70b qlora rank=32 zero3 offload on 2x a100")
    assert found.keys() >= QUERY | {"command", "models", "gpus", "providers", "language", "notes"}
    assert found["command"] == "fit"
    assert found["training"] == {"lora_rank": 32, "sharding": "zero3", "offload": True}
    assert found["vram_gib"] is None
    assert all(isinstance(one, str) for one in found["notes"])


def test_estimate(capsys: Captured) -> None:
    found = answer(capsys, "estimate", "llama-3.1-8b", "qlora", "seq_len=4096")
    assert found.keys() >= ESTIMATE
    assert found["breakdown"].keys() == BREAKDOWN
    assert sum(found["breakdown"].values()) == pytest.approx(found["peak_gib"])
    assert found["peak_gib"] == found["device_gib"]
    assert found["total_params"] == 8_030_261_248
    assert any("stack=hf-trl" in one for one in found["assumptions"])


def test_fit(capsys: Captured) -> None:
    found = answer(capsys, "fit", "llama-70b qlora")
    assert found.keys() >= FIT
    assert found["query"].keys() >= QUERY
    assert found["estimate"].keys() >= ESTIMATE
    assert found["catalog"].keys() >= CATALOG
    assert found["checkpoint"].keys() >= CHECKPOINT
    assert found["spot"].keys() >= SPOT
    labels = [option["label"] for option in found["options"]]
    assert 1 <= len(labels) <= 3
    assert len(set(labels)) == len(labels)
    for option in found["options"]:
        assert option.keys() >= OPTION
        assert option["freshness"] == "sample"
    assert found["catalog"]["gathered_on"] == "2026-12-01"


def test_fit_that_does_not_fit_names_a_way_out(capsys: Captured) -> None:
    found = answer(capsys, "fit", "llama-70b qlora on 1x 4090")
    assert found["verdict"] == "does_not_fit"
    assert found["options"] == []
    assert found["spot"] is None
    assert found["alternatives"]


def test_prices(capsys: Captured) -> None:
    found = answer(capsys, "prices", "h100")
    assert found["rows"]
    assert found["catalog"].keys() >= CATALOG


def test_words_in_the_output_follow_the_language(capsys: Captured) -> None:
    english = answer(capsys, "fit", "llama-70b qlora", "--lang", "en")
    indonesian = answer(capsys, "fit", "llama-70b qlora", "--lang", "id")
    assert english["options"][0]["why"] != indonesian["options"][0]["why"]
    assert english["estimate"] == {
        **indonesian["estimate"],
        "assumptions": english["estimate"]["assumptions"],
        "warnings": english["estimate"]["warnings"],
    }


@pytest.mark.parametrize("lang", ["en", "id"])
@pytest.mark.parametrize(
    "text",
    [
        "llama-70b qlora",
        "mixtral lora 2x a100",
        "qwen3 8b full perlu berapa H100?",
        "llama-70b full on 1x 4090",
        "falcon 7b qlora v100 16gb spot",
        "gemma3 12b qlora max $0.01 total",
        "deepseek v3 lora",
        "gpt2 full on GTX 1660",
    ],
)
def test_no_code_ever_stands_where_words_should(capsys: Captured, text: str, lang: str) -> None:
    found = json.dumps(answer(capsys, "fit", text, "--lang", lang))
    for domain in ("plan.", "memory.", "grammar.", "gpus.", "models.", "catalog."):
        assert f'"{domain}' not in found
    assert "{" not in found.replace('{"', "").replace("{}", "").replace('"{', "")
