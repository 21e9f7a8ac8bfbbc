"""A dstack task: the machine, spot and retries, a volume for checkpoints, the run."""

import re
from typing import Any

import yaml

from planner.gpus import registry as gpus
from planner.recipe.accelerate import launch_command
from planner.recipe.job import RunJob
from planner.recipe.skypilot import disk_gb
from planner.recipe.targets import Place, card_name, place_of

_RANK, _HEAD = "$DSTACK_NODE_RANK", "$DSTACK_MASTER_NODE_IP"
#: What may be paid above the planned price before dstack looks no further.
_PRICE_ROOM = 1.1
_REGION = re.compile(r"[A-Za-z]{2,}[A-Za-z0-9]*(-[A-Za-z0-9]+)+")
_ON_VOLUME = (
    "# Start: dstack apply -f volume.dstack.yml, then dstack apply -f muat.dstack.yml\n"
    "# The volume outlives the machine; the run goes on from its newest checkpoint.\n"
)
_ON_HUB = (
    "# Start: dstack apply -f muat.dstack.yml\n"
    "# dstack mounts no volume here: the newest checkpoint goes to the private hub repository\n"
    "# HUB_MODEL_ID, and the run goes on from it.\n"
)
_VOLUME_HEAD = "# The region must be the run's.\n"


def files(job: RunJob) -> dict[str, str]:
    """muat.dstack.yml, and the volume it mounts where the backend has volumes."""
    has_volume = _place(job).keeps == "volume"
    kept = _ON_VOLUME if has_volume else _ON_HUB
    head = (
        f"# {job.option.gpu_count}x {job.option.gpu} at {job.option.provider}, "
        f"{job.option.usd_per_hour:.2f} USD/h when Muat planned it.\n{kept}"
    )
    found = {"muat.dstack.yml": head + yaml.safe_dump(task(job), sort_keys=False)}
    if has_volume:
        found["volume.dstack.yml"] = _VOLUME_HEAD + yaml.safe_dump(volume(job), sort_keys=False)
    return found


def task(job: RunJob) -> dict[str, Any]:
    """The task's keys."""
    option, place = job.option, _place(job)
    kept: dict[str, Any] = {}
    variables = ["DATASET", "HF_TOKEN"]
    if place.keeps == "volume":
        kept["volumes"] = [{"name": _volume_name(job), "path": "/checkpoints"}]
    else:
        variables.append("HUB_MODEL_ID")
    found: dict[str, Any] = {
        "type": "task",
        "name": job.name,
        "nodes": option.nodes,
        "python": "3.12",
        "env": variables,
        "files": ["train.py", "requirements.txt", "accelerate.yaml"],
        "commands": [
            "pip install -r requirements.txt",
            launch_command(job, _RANK, _HEAD),
        ],
        **kept,
        "resources": {
            "gpu": {
                "name": card_name("dstack", option.provider, option.gpu),
                "memory": f"{gpus.get(option.gpu).memory_gb_marketed:.0f}GB",
                "count": job.gpus_per_node,
            },
            "disk": f"{disk_gb(job)}GB..",
        },
        "backends": [place.name],
        "spot_policy": "spot" if job.on_spot else "on-demand",
        "max_price": round(option.usd_per_hour / option.nodes * _PRICE_ROOM, 2),
    }
    if job.on_spot:
        found["retry"] = {"on_events": ["no-capacity", "interruption"], "duration": "1d"}
    return found


def volume(job: RunJob) -> dict[str, Any]:
    """The keys of the volume for checkpoints; its region is the run's."""
    return {
        "type": "volume",
        "name": _volume_name(job),
        "backend": _place(job).name,
        "region": _region(job.option.region),
        "size": f"{disk_gb(job)}GB",
    }


def _place(job: RunJob) -> Place:
    return place_of("dstack", job.option.provider)


def _region(region: str | None) -> str:
    """A region's own name; offers that only describe theirs leave it to be filled in."""
    return region if region and _REGION.fullmatch(region) else "set-me"


def _volume_name(job: RunJob) -> str:
    return f"{job.name}-checkpoints"
