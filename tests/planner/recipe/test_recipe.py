"""Recipes: the files say what the plan says."""

import ast
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml

from bot.grammar import read
from bot.planning import plan_for
from bot.recipes import written
from planner.errors import BadInput
from planner.plan.result import Plan
from planner.recipe.recipe import TARGETS, Recipe

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def recipe_of(text: str, target: str = "skypilot") -> Recipe:
    return written(read(text), None, NOW, target).recipe


def plan_of(text: str) -> Plan:
    return plan_for(read(text), None, NOW).plan


def settings(found: Recipe) -> dict[str, Any]:
    """The dicts of train.py, by name."""
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(found.files["train.py"]).body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Dict)
    }


@pytest.mark.parametrize(
    "text",
    [
        "llama-8b qlora on aws on-demand",
        "llama-8b full on 8x h100 lambda on-demand",
        "llama-70b lora on 8x h100 aws on-demand",
        "mistral-7b lora seq=4096 rank=64 packing=false on gcp on-demand",
    ],
)
def test_training_runs_what_was_planned(text: str) -> None:
    plan, found = plan_of(text), recipe_of(text)
    option, training = plan.options[0], settings(found)["TRAINING"]
    assert found.option == option
    assert training["per_device_train_batch_size"] == option.micro_batch
    assert training["gradient_accumulation_steps"] == option.gradient_accumulation
    assert training["gradient_checkpointing"] == (option.gradient_checkpointing != "none")
    assert training["max_length"] == plan.seq_len
    assert training["packing"] == (plan.query.training.packing is not False)
    assert training["save_total_limit"] == 3
    workers = option.step.workers
    sequences = option.micro_batch * option.gradient_accumulation * workers
    assert sequences >= 16 and plan.tokens == 10_000_000


def test_saves_are_as_often_as_advised() -> None:
    plan = plan_of("llama-70b qlora on verda spot")
    found = recipe_of("llama-70b qlora on verda spot")
    assert plan.checkpoint is not None
    assert settings(found)["TRAINING"]["save_steps"] == plan.checkpoint.interval_steps


def test_spot_that_is_recommended_is_what_the_files_rent() -> None:
    assert plan_of("llama-70b qlora").spot is not None
    found = recipe_of("llama-70b qlora on verda")
    task = yaml.safe_load(found.files["skypilot.yaml"])
    assert found.option.market == "spot"
    assert task["resources"]["use_spot"] is True
    assert task["resources"]["job_recovery"]["strategy"]
    said = yaml.safe_load(recipe_of("llama-70b qlora on verda on-demand").files["skypilot.yaml"])
    assert said["resources"]["use_spot"] is False
    assert "job_recovery" not in said["resources"]


def test_the_machine_is_the_options() -> None:
    found = recipe_of("llama-70b full on 16x h100 on nebius on-demand")
    task = yaml.safe_load(found.files["skypilot.yaml"])
    assert found.option.nodes == task["num_nodes"] == 2
    assert task["resources"]["accelerators"] == "H100:8"
    assert task["resources"]["infra"] == "nebius"
    assert "$SKYPILOT_NODE_RANK" in task["run"]
    shared = yaml.safe_load(found.files["accelerate.yaml"])
    assert (shared["num_machines"], shared["num_processes"]) == (2, 16)
    assert shared["distributed_type"] == "FSDP"


def test_checkpoints_live_where_they_outlive_the_machine() -> None:
    """D075, D076: a bucket, a volume, else a private repository; the run resumes from them."""
    bucket = yaml.safe_load(recipe_of("llama-8b qlora on aws").files["skypilot.yaml"])
    assert "/checkpoints" in bucket["file_mounts"]
    volume = recipe_of("llama-8b qlora on runpod", "dstack")
    task = yaml.safe_load(volume.files["muat.dstack.yml"])
    made = yaml.safe_load(volume.files["volume.dstack.yml"])
    assert task["volumes"] == [{"name": made["name"], "path": "/checkpoints"}]
    hub = recipe_of("llama-8b qlora on verda", "dstack")
    assert "HUB_MODEL_ID" in yaml.safe_load(hub.files["muat.dstack.yml"])["env"]
    assert "volume.dstack.yml" not in hub.files
    for found in (volume, hub):
        assert settings(found)["TRAINING"]["output_dir"].startswith("/checkpoints/")
        assert "resume_from_checkpoint=newest_checkpoint(" in found.files["train.py"]


def test_qlora_is_nf4_with_a_storage_type_that_can_be_sharded() -> None:
    alone = settings(recipe_of("llama-8b qlora on 1x h100 nebius on-demand"))["QUANTISATION"]
    assert alone["bnb_4bit_quant_type"] == "nf4"
    assert "bnb_4bit_quant_storage" not in alone
    shared = recipe_of("llama-70b qlora fsdp on 8x h100 aws on-demand", "accelerate")
    assert settings(shared)["QUANTISATION"]["bnb_4bit_quant_storage"] == "bfloat16"


@pytest.mark.parametrize(
    ("text", "kind", "key", "value"),
    [
        ("llama-8b lora rank=64 on aws", "LoraConfig", "r", 64),
        ("llama-8b dora on aws", "LoraConfig", "use_dora", True),
        ("llama-8b ia3 on aws", "IA3Config", "task_type", "CAUSAL_LM"),
        ("llama-8b prompt tuning on aws", "PromptTuningConfig", "num_virtual_tokens", 20),
        ("llama-8b lora targets=attention on aws", "LoraConfig", "target_modules",
         ["q_proj", "k_proj", "v_proj", "o_proj"]),
    ],
)  # fmt: skip
def test_every_method_has_its_own_configuration(
    text: str, kind: str, key: str, value: object
) -> None:
    found = recipe_of(text, "trl")
    assert f"from peft import {kind} as PEFT_CLASS" in found.files["train.py"]
    assert settings(found)["PEFT"][key] == value


@pytest.mark.parametrize("target", TARGETS)
def test_every_file_is_whole(target: str) -> None:
    found = recipe_of("llama-8b qlora on aws", target)
    compile(found.files["train.py"], "train.py", "exec")
    for name, text in found.files.items():
        assert text.endswith("\n")
        if name.endswith((".yaml", ".yml")):
            assert yaml.safe_load(text)
    assert {one.code for one in found.assumptions} >= {"recipe.assumed_rate", "plan.assumed_tokens"}


REFUSED: list[tuple[str, str, str]] = [
    ("llama-8b qlora on hyperstack", "skypilot", "recipe.unknown_provider"),
    ("llama-8b qlora on hyperbolic", "dstack", "recipe.unknown_provider"),
    ("llama-8b qlora stack=axolotl on aws", "skypilot", "recipe.other_stack"),
    ("flux-dev lora", "trl", "recipe.language_models_only"),
    ("llama-8b adapter on aws", "trl", "recipe.method"),
    ("llama-70b lora on a 3060", "trl", "recipe.nothing_to_run"),
    ("llama-8b lora on aws", "slurm", "recipe.unknown_target"),
]


@pytest.mark.parametrize(("text", "target", "code"), REFUSED)
def test_what_cannot_be_written_is_refused_by_name(text: str, target: str, code: str) -> None:
    with pytest.raises(BadInput) as refusal:
        recipe_of(text, target)
    assert refusal.value.note.code == code
    assert refusal.value.note.values or code == "recipe.nothing_to_run"


def test_a_provider_the_target_lacks_is_named_with_those_it_has() -> None:
    with pytest.raises(BadInput) as refusal:
        recipe_of("llama-8b qlora on hyperstack")
    values: dict[str, Any] = dict(refusal.value.note.values)
    assert values["provider"] == "Hyperstack" and "AWS" in values["known"]
