"""accelerate.yaml: how many processes, and how weights and states are shared among them."""

from typing import Any

import yaml

from planner.recipe.job import RunJob
from planner.recipe.trl import settings


def files(job: RunJob) -> dict[str, str]:
    """accelerate.yaml and run.sh, which starts it on each node."""
    return {
        "accelerate.yaml": yaml.safe_dump(config(job), sort_keys=False),
        "run.sh": f"#!/bin/sh\nset -e\n{launch_command(job)}\n",
    }


def launch_command(job: RunJob, rank: str = "${NODE_RANK:-0}", head: str = "${HEAD:-}") -> str:
    """What starts one node; `rank` and `head` are the shell's words for its number and the address
    of the first.
    """
    command = "accelerate launch --config_file accelerate.yaml"
    if job.option.nodes > 1:
        command += f' --machine_rank "{rank}" --main_process_ip "{head}" --main_process_port 29500'
    return f"{command} train.py"


def config(job: RunJob) -> dict[str, Any]:
    """The keys of accelerate's configuration file."""
    setup, training = job.setup, settings(job)
    mixed = "bf16" if training["bf16"] else "fp16" if training["fp16"] else "no"
    found: dict[str, Any] = {
        "compute_environment": "LOCAL_MACHINE",
        "distributed_type": _distributed(job),
        "mixed_precision": mixed,
        "num_machines": job.option.nodes,
        "num_processes": job.processes,
        "machine_rank": 0,
        "rdzv_backend": "static",
        "same_network": True,
        "use_cpu": False,
    }
    if setup.sharding == "fsdp":
        found["fsdp_config"] = {
            "fsdp_version": 1,
            "fsdp_sharding_strategy": "FULL_SHARD",
            "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
            "fsdp_backward_prefetch": "BACKWARD_PRE",
            "fsdp_offload_params": setup.offload,
            "fsdp_state_dict_type": "SHARDED_STATE_DICT",
            "fsdp_use_orig_params": setup.method == "full",
            "fsdp_sync_module_states": True,
            "fsdp_cpu_ram_efficient_loading": True,
            "fsdp_activation_checkpointing": False,
        }
    if setup.sharding.startswith("zero"):
        device = "cpu" if setup.offload else "none"
        found["deepspeed_config"] = {
            "zero_stage": int(setup.sharding[-1]),
            "gradient_accumulation_steps": job.option.gradient_accumulation,
            "offload_optimizer_device": device,
            "offload_param_device": device if setup.sharding == "zero3" else "none",
            "zero3_init_flag": setup.sharding == "zero3",
            "zero3_save_16bit_model": setup.sharding == "zero3",
        }
    return found


def _distributed(job: RunJob) -> str:
    if job.setup.sharding.startswith("zero"):
        return "DEEPSPEED"
    if job.setup.sharding == "fsdp":
        return "FSDP"
    return "MULTI_GPU" if job.processes > 1 else "NO"
