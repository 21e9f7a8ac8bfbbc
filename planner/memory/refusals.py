"""Combinations Muat does not estimate. Each is refused with its reason and a way out, never priced
as something else.
"""

from planner.errors import BadInput
from planner.memory import diffusion
from planner.memory.adapters import refuse_unknown_targets
from planner.memory.setup import DEFAULT_STACK, EXPERTS_ONLY, QUANTISED_BYTES_PER_PARAM
from planner.memory.stacks import every_profile, profile
from planner.models.architecture import Architecture
from planner.models.lora import adapted_linears
from planner.models.native import native_base_dtype
from planner.query import Training

_PARALLEL = ("tensor_parallel", "pipeline_parallel", "expert_parallel", "context_parallel")
#: Quantised types whose weights no sharding splits.
UNSHARDABLE = ("int8", EXPERTS_ONLY)
#: Methods whose layers peft writes for plain and bitsandbytes' linears, not for GPTQ's.
_NOT_ON_GPTQ = ("dora", "ia3")
#: Layouts that move states to the host.
_OFFLOADING = ("zero1", "zero2", "zero3", "fsdp")


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
    _refuse_base(architecture, asked)
    _refuse_method(architecture, asked)
    _refuse_layout(asked)
    _refuse_optimizer(architecture, asked)


def _refuse_base(architecture: Architecture, asked: Training) -> None:
    """Types of the base weights that the method, the model or the stack does not train on."""
    base = asked.base_dtype
    if asked.method == "qlora" and base is not None and base not in QUANTISED_BYTES_PER_PARAM:
        raise BadInput("memory.qlora_needs_quantised", base_dtype=base)
    if base not in QUANTISED_BYTES_PER_PARAM:
        return
    if asked.method == "full":
        raise BadInput("memory.full_needs_floats", base_dtype=base)
    if base == EXPERTS_ONLY and native_base_dtype(architecture) != base:
        model = architecture.display_name
        raise BadInput("memory.not_published_in", base_dtype=base, model=model)
    stack = asked.stack or DEFAULT_STACK
    if base not in profile(stack).quantised_bases:
        able = tuple(one.stack for one in every_profile() if base in one.quantised_bases)
        raise BadInput("memory.base_not_in_stack", stack=stack, base_dtype=base, stacks=able)


def _refuse_method(architecture: Architecture, asked: Training) -> None:
    """Methods that the stack, the base or the model does not have."""
    method, stack = asked.method, asked.stack or DEFAULT_STACK
    if method not in profile(stack).methods:
        able = tuple(one.stack for one in every_profile() if method in one.methods)
        raise BadInput("memory.method_not_in_stack", method=method, stack=stack, stacks=able)
    base = asked.base_dtype or ""
    if method in _NOT_ON_GPTQ and base.startswith("gptq"):
        raise BadInput("memory.method_not_on_gptq", method=method, base_dtype=base)
    if method == "prefix" and architecture.attention_kind == "mla":
        raise BadInput("memory.prefix_on_latent_attention", model=architecture.display_name)
    if method == "dora" and _adapts_experts(architecture, asked.lora_targets):
        raise BadInput("memory.dora_on_experts")


def _adapts_experts(architecture: Architecture, targets: str | None) -> bool:
    if not architecture.n_experts or targets is None:
        return False
    chosen = adapted_linears(architecture, targets)
    return any(one.count_per_layer > 1 for one in chosen)


def _refuse_layout(asked: Training) -> None:
    """Layouts that cannot hold what was asked."""
    if asked.sharding in ("zero3", "fsdp") and asked.base_dtype in UNSHARDABLE:
        raise BadInput(
            "memory.cannot_shard_dtype", base_dtype=asked.base_dtype, sharding=asked.sharding
        )
    if asked.offload and asked.sharding not in (None, *_OFFLOADING):
        raise BadInput("memory.offload_needs_sharding", sharding=asked.sharding)
    if asked.optimizer_in_backward and asked.sharding not in (None, "none", "fsdp", "device_map"):
        raise BadInput("memory.optimizer_in_backward_needs_torch", sharding=asked.sharding)


def _refuse_optimizer(architecture: Architecture, asked: Training) -> None:
    """Optimizers and steps that do not work on what is trained."""
    if asked.optimizer_in_backward and (asked.global_batch or 0) > (asked.micro_batch or 1):
        raise BadInput("memory.optimizer_in_backward_no_accumulation")
    if asked.optimizer == "muon" and asked.method == "full" and architecture.n_experts:
        raise BadInput("memory.muon_on_experts")
