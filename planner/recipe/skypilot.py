"""A SkyPilot task: the machine, spot and recovery, a bucket for checkpoints, the run."""

from typing import Any

import yaml

from planner.recipe.accelerate import launch_command
from planner.recipe.job import RunJob
from planner.recipe.targets import card_name, place_of

_RANK, _HEAD = "$SKYPILOT_NODE_RANK", '$(echo "$SKYPILOT_NODE_IPS" | head -n1)'
#: Providers whose offers name regions as SkyPilot does.
_PLAIN_REGIONS = ("AWS", "GCP", "Azure")


def files(job: RunJob) -> dict[str, str]:
    """skypilot.yaml."""
    command = "sky jobs launch" if job.on_spot else "sky launch"
    head = (
        f"# {job.option.gpu_count}x {job.option.gpu} at {job.option.provider}, "
        f"{job.option.usd_per_hour:.2f} USD/h when Muat planned it.\n"
        f"# Start: {command} --env DATASET=... --secret HF_TOKEN skypilot.yaml\n"
        "# The bucket outlives the machine; the run goes on from its newest checkpoint.\n"
    )
    return {"skypilot.yaml": head + yaml.safe_dump(task(job), sort_keys=False)}


def task(job: RunJob) -> dict[str, Any]:
    """The task's keys."""
    option = job.option
    place = place_of("skypilot", option.provider).name
    if option.region and option.provider in _PLAIN_REGIONS and " " not in option.region:
        place += f"/{option.region}"
    resources: dict[str, Any] = {
        "infra": place,
        "accelerators": f"{card_name('skypilot', option.provider, option.gpu)}:{job.gpus_per_node}",
        "use_spot": job.on_spot,
        "disk_size": disk_gb(job),
    }
    if job.on_spot:
        resources["job_recovery"] = {"strategy": "FAILOVER", "max_restarts_on_errors": 1}
    return {
        "name": job.name,
        "resources": resources,
        "num_nodes": option.nodes,
        "workdir": ".",
        "envs": {"DATASET": ""},
        "secrets": {"HF_TOKEN": ""},
        "file_mounts": {"/checkpoints": {"name": f"{job.name}-checkpoints", "mode": "MOUNT"}},
        "setup": "pip install -r requirements.txt",
        "run": launch_command(job, _RANK, _HEAD),
    }


def disk_gb(job: RunJob) -> int:
    """GB of disk: what is kept while the run lasts, and room for the system and packages."""
    return max(100, int(job.option.cost.stored_gb * 1.2) + 60)
