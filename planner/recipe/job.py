"""What a plan's first option runs, settled for Hugging Face's trainers."""

import math
from functools import cache
from typing import NamedTuple

from planner.checkpoint import ASSUMED_FAILURES_PER_HOUR, KEEP_LAST
from planner.data_files import read_rows
from planner.errors import BadInput
from planner.memory.setup import Setup, settle
from planner.models.architecture import Architecture
from planner.plan.result import Option, Plan
from planner.query import Method
from planner.spot.interval import daly_interval_hours

#: Stacks whose jobs TRL's SFTTrainer runs as they were planned.
_STACKS = ("hf-trl", "hf-trainer", "hf-peft")
_METHODS: tuple[Method, ...] = ("full", "lora", "dora", "qlora", "ia3", "prefix", "prompt")
_BASES = ("bf16", "fp16", "fp32", "nf4", "int8", "fp32-amp-fp16")
#: Usual learning rates: of adapters as in the QLoRA paper (Dettmers et al., 2023), of prompts as in
#: peft's examples, of all weights as in most published recipes. Assumed.
_LEARNING_RATES: dict[Method, float] = {
    "full": 2e-5, "lora": 2e-4, "dora": 2e-4, "qlora": 2e-4, "ia3": 3e-3,
    "prefix": 1e-2, "prompt": 1e-2,
}  # fmt: skip


class RunJob(NamedTuple):
    """An option to run: its settled setup, where it is rented, how often it saves."""

    model: str
    option: Option
    setup: Setup
    epochs: float
    save_steps: int
    keep_last: int
    learning_rate: float
    on_spot: bool

    @property
    def processes(self) -> int:
        """Processes over all nodes: one a GPU, but one alone for a naive device map."""
        return 1 if self.setup.sharding == "device_map" else self.option.gpu_count

    @property
    def gpus_per_node(self) -> int:
        """GPUs of one machine."""
        return self.option.gpu_count // self.option.nodes

    @property
    def name(self) -> str:
        """A name for the run: letters, digits and dashes."""
        last = self.model.rpartition("/")[2].lower()
        plain = "".join(letter if letter.isalnum() else "-" for letter in last).strip("-")
        return f"muat-{plain}-{self.setup.method}"[:50].rstrip("-")


def run_job(plan: Plan, architecture: Architecture) -> RunJob:
    """The first option of `plan`; BadInput names what these files cannot run."""
    option = plan.options[0]
    method = plan.query.method or "qlora"
    asked = plan.query.training_as(method).model_copy(
        update={
            "micro_batch": option.micro_batch,
            "seq_len": plan.seq_len,
            "sharding": option.sharding,
            "gradient_checkpointing": option.gradient_checkpointing,
        }
    )
    setup = settle(architecture, asked, gpus=option.gpu_count, nodes=option.nodes).setup
    _refuse(architecture, setup)
    return RunJob(
        model=architecture.hf_id,
        option=option,
        setup=setup,
        epochs=plan.query.epochs or 1.0,
        save_steps=_save_steps(plan, option),
        keep_last=plan.checkpoint.keep_last if plan.checkpoint else KEEP_LAST,
        learning_rate=_LEARNING_RATES[method],
        on_spot=option.market == "spot",
    )


def _refuse(architecture: Architecture, setup: Setup) -> None:
    if architecture.arch not in ("decoder", "moe"):
        raise BadInput("recipe.language_models_only", model=architecture.display_name)
    if setup.profile.stack not in _STACKS:
        raise BadInput("recipe.other_stack", stack=setup.profile.stack)
    if setup.method not in _METHODS:
        raise BadInput("recipe.method", method=setup.method, known=_METHODS)
    if setup.base_dtype not in _BASES:
        raise BadInput("recipe.base", base=setup.base_dtype, known=_BASES)
    if setup.optimizer not in optimizer_names():
        raise BadInput("recipe.optimizer", optimizer=setup.optimizer, known=(*optimizer_names(),))


@cache
def optimizer_names() -> dict[str, str]:
    """What Hugging Face's trainer calls an optimizer."""
    rows = read_rows("planner.recipe", "optimizers.csv")
    return {row["optimizer"]: row["name"] for row in rows}


def _save_steps(plan: Plan, option: Option) -> int:
    """Optimizer steps between two saves: as advised for the option's own market."""
    advice, spot = plan.checkpoint, plan.spot
    elsewhere = option.market != "spot" and spot is not None and spot.recommend == "spot"
    if advice is not None and not elsewhere:
        return advice.interval_steps
    per_step = option.step.tokens * option.step.workers * option.gradient_accumulation
    step_hours = per_step / option.tokens_per_s / 3600
    interval = daly_interval_hours(option.cost.save_seconds, ASSUMED_FAILURES_PER_HOUR)
    return max(1, math.floor(min(interval, option.cost.training_hours) / step_hours))
