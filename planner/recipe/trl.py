"""train.py: TRL's SFTTrainer with exactly the plan's settings, and what it needs installed."""

import json
from typing import Any

from planner.data_files import data_text
from planner.memory.setup import DEFAULT_VIRTUAL_TOKENS, Setup
from planner.recipe.job import RunJob, optimizer_names

#: Where checkpoints go: what a recipe mounts there outlives the machine.
OUTPUT = "/checkpoints/run"
_ATTENTION = {"flash": "flash_attention_2", "flex_attention": "flex_attention"}
_DTYPES = {"fp16": "float16", "fp32": "float32", "fp32-amp-fp16": "float32"}
_SHORT = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "o_proj",
          "gate": "gate_proj", "up": "up_proj", "down": "down_proj"}  # fmt: skip
_ATTENTION_LINEARS = ["q_proj", "k_proj", "v_proj", "o_proj"]


def files(job: RunJob) -> dict[str, str]:
    """train.py and requirements.txt."""
    return {"train.py": _script(job), "requirements.txt": _requirements(job.setup)}


def settings(job: RunJob) -> dict[str, Any]:
    """Arguments of trl.SFTConfig."""
    setup = job.setup
    found: dict[str, Any] = {
        "output_dir": OUTPUT,
        "num_train_epochs": job.epochs,
        "max_length": setup.seq_len,
        "packing": setup.lengths_are_equal,
        "per_device_train_batch_size": setup.micro_batch,
        "gradient_accumulation_steps": job.option.gradient_accumulation,
        "gradient_checkpointing": setup.checkpointing != "none",
        "learning_rate": job.learning_rate,
        "optim": optimizer_names()[setup.optimizer],
        "bf16": _mixed(setup) == "bf16",
        "fp16": _mixed(setup) == "fp16",
        "save_strategy": "steps",
        "save_steps": job.save_steps,
        "save_total_limit": job.keep_last,
        "logging_steps": 10,
        "report_to": "none",
    }
    if setup.checkpointing != "none":
        found["gradient_checkpointing_kwargs"] = {"use_reentrant": False}
    if setup.loss == "fused_linear":
        found["use_liger_kernel"] = True
    if setup.torch_compile:
        found["torch_compile"] = True
    return found


def adapter(setup: Setup) -> tuple[str, dict[str, Any]]:
    """The class of peft's configuration and its arguments; "" where all weights are trained."""
    if setup.method == "full":
        return "", {}
    if setup.method == "ia3":
        return "IA3Config", {"task_type": "CAUSAL_LM"}
    if setup.method in ("prefix", "prompt"):
        kind = "PrefixTuningConfig" if setup.method == "prefix" else "PromptTuningConfig"
        tokens = setup.virtual_tokens or DEFAULT_VIRTUAL_TOKENS
        return kind, {"task_type": "CAUSAL_LM", "num_virtual_tokens": tokens}
    found: dict[str, Any] = {
        "task_type": "CAUSAL_LM",
        "r": setup.lora_rank,
        "lora_alpha": 2 * setup.lora_rank,
        "target_modules": _targets(setup.lora_targets),
    }
    if setup.method == "dora":
        found["use_dora"] = True
    if setup.train_embeddings:
        found["modules_to_save"] = ["embed_tokens", "lm_head"]
    return "LoraConfig", found


def quantisation(setup: Setup) -> dict[str, Any]:
    """Arguments of transformers.BitsAndBytesConfig; empty where the base is not quantised."""
    if setup.base_dtype == "int8":
        return {"load_in_8bit": True}
    if setup.base_dtype != "nf4":
        return {}
    found: dict[str, Any] = {
        "load_in_4bit": True,
        "bnb_4bit_quant_type": "nf4",
        "bnb_4bit_use_double_quant": setup.double_quant,
        "bnb_4bit_compute_dtype": "float16" if _mixed(setup) == "fp16" else "bfloat16",
    }
    if setup.sharding in ("fsdp", "zero3"):
        found["bnb_4bit_quant_storage"] = found["bnb_4bit_compute_dtype"]
    return found


def _script(job: RunJob) -> str:
    setup, (kind, arguments) = job.setup, adapter(job.setup)
    peft_import = f"from peft import {kind} as PEFT_CLASS\n" if kind else ""
    parts = [
        f'"""{job.model} by {setup.method}, as Muat planned it for '
        f'{job.option.gpu_count}x {job.option.gpu}."""\n',
        "import os\n",
        "from datasets import load_dataset\n"
        "from huggingface_hub import repo_exists, snapshot_download\n" + peft_import
        + "from transformers import AutoModelForCausalLM, BitsAndBytesConfig\n"
        "from transformers.trainer_utils import get_last_checkpoint\n"
        "from trl import SFTConfig, SFTTrainer\n",
        f"MODEL = {json.dumps(job.model)}",
        f"MODEL_OPTIONS = {_literal(_model_options(setup))}",
        f"QUANTISATION = {_literal(quantisation(setup))}",
        ("" if kind else "PEFT_CLASS = None\n") + f"PEFT = {_literal(arguments)}",
        f"TRAINING = {_literal(settings(job))}",
        data_text("planner.recipe", "train_body.py.txt"),
    ]  # fmt: skip
    return "\n".join(parts)


def _literal(values: dict[str, Any]) -> str:
    """A dict as Python writes it, a line for each key."""
    lines = [f"    {json.dumps(key)}: {_value(value)},\n" for key, value in values.items()]
    return "{\n" + "".join(lines) + "}" if lines else "{}"


def _value(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _model_options(setup: Setup) -> dict[str, Any]:
    found: dict[str, Any] = {
        "dtype": _DTYPES.get(setup.base_dtype, "bfloat16"),
        "attn_implementation": _ATTENTION.get(setup.attention, setup.attention),
    }
    if setup.base_dtype == "nf4" and _mixed(setup) == "fp16":
        found["dtype"] = "float16"
    if setup.method == "full" and setup.precision == "amp":
        found["dtype"] = "float32"
    if setup.sharding == "device_map":
        found["device_map"] = "auto"
    return found


def _mixed(setup: Setup) -> str:
    """The trainer's mixed precision: fp16 on cards without bf16, none where all is one type."""
    if setup.base_dtype in ("fp16", "fp32-amp-fp16"):
        return "fp16"
    return "bf16" if setup.precision == "amp" else "no"


def _targets(targets: str) -> str | list[str]:
    if targets == "all-linear":
        return targets
    if targets == "attention":
        return list(_ATTENTION_LINEARS)
    return [_SHORT.get(name.strip(), name.strip()) for name in targets.split(",")]


def _requirements(setup: Setup) -> str:
    needed = ["accelerate>=1.10", "datasets>=4", "transformers>=4.56", "trl>=0.24"]
    if setup.method != "full":
        needed.append("peft>=0.17")
    if setup.base_is_quantised or "8bit" in setup.optimizer or setup.optimizer == "paged-adamw":
        needed.append("bitsandbytes>=0.47")
    if setup.optimizer == "adamw-4bit":
        needed.append("torchao>=0.13")
    if setup.loss == "fused_linear":
        needed.append("liger-kernel>=0.6")
    if setup.sharding.startswith("zero"):
        needed.append("deepspeed>=0.17")
    if setup.attention == "flash":
        needed.append("flash-attn>=2.8")
    return "\n".join(sorted(needed)) + "\n"
