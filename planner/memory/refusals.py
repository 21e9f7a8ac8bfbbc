"""Combinations Muat does not estimate. Each is refused with its reason, never priced as something
else.
"""

from planner.errors import BadInput
from planner.memory import diffusion
from planner.memory.adapters import refuse_unknown_targets
from planner.models.architecture import Architecture
from planner.query import Training

_QUANTISED = ("nf4", "int8", "gptq-int4", "gptq-int8", "fp8")
_PARALLEL = ("tensor_parallel", "pipeline_parallel", "expert_parallel", "context_parallel")


def refuse_unsupported(architecture: Architecture, asked: Training) -> None:
    """Raise BadInput where no formula here covers `asked`."""
    for key in _PARALLEL:
        if (getattr(asked, key) or 1) > 1:
            raise BadInput("memory.parallelism_unsupported", key=key)
    if architecture.arch == "diffusion":
        diffusion.refuse(architecture, asked)
    elif not architecture.layers or not architecture.hidden:
        raise BadInput("memory.diffusion_unsupported", model=architecture.display_name)
    if asked.stack == "megatron":
        raise BadInput("memory.megatron_unsupported")
    if asked.lora_targets is not None and architecture.arch != "diffusion":
        refuse_unknown_targets(asked.lora_targets)
    if asked.method == "full" and asked.base_dtype in _QUANTISED:
        raise BadInput("memory.full_needs_floats", base_dtype=asked.base_dtype)
    if asked.method == "qlora" and asked.base_dtype not in (None, *_QUANTISED):
        raise BadInput("memory.qlora_needs_quantised", base_dtype=asked.base_dtype)
    if asked.sharding in ("zero3", "fsdp") and asked.base_dtype == "int8":
        raise BadInput(
            "memory.cannot_shard_dtype", base_dtype=asked.base_dtype, sharding=asked.sharding
        )
    if asked.optimizer_in_backward and asked.sharding in ("zero1", "zero2", "zero3"):
        raise BadInput("memory.optimizer_in_backward_needs_torch", sharding=asked.sharding)
    if asked.optimizer_in_backward and (asked.global_batch or 0) > (asked.micro_batch or 1):
        raise BadInput("memory.optimizer_in_backward_no_accumulation")
