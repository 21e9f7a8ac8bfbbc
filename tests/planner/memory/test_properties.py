"""What holds for every estimate: all models of the registry, methods, stacks and settings."""

import math
from functools import cache
from typing import Any, get_args

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planner import query
from planner.errors import Refusal
from planner.memory.counts import count
from planner.memory.estimate import estimate
from planner.memory.result import MemoryEstimate
from planner.memory.setup import settle
from planner.memory.stacks import every_profile
from planner.memory.weights import weight_bytes
from planner.models.registry import architecture, every_id
from planner.query import Training

MODELS = st.sampled_from(every_id())
FLOATS = (None, "bf16", "fp16", "fp32")
#: Stack, method and type of the base as they go together.
KINDS = tuple(
    {"stack": one.stack, "method": method, "base_dtype": base}
    for one in every_profile()
    if one.stack != "megatron"
    for method in one.methods
    for base in (
        (*one.quantised_bases, None)
        if method == "qlora"
        else FLOATS + (() if method == "full" else one.quantised_bases)
    )
    if base != "mxfp4"
)
OTHERS: dict[str, Any] = {
    "precision": query.Precision,
    "optimizer": query.Optimizer,
    "optimizer_states": query.OptimizerStates,
    "gradient_checkpointing": query.Checkpointing,
    "attention": query.Attention,
    "loss": query.Loss,
    "sharding": query.Sharding,
}
FLAGS = (
    "train_embeddings", "master_weights", "optimizer_in_backward", "activation_offload", "offload",
    "torch_compile", "packing", "double_quant", "kbit_preparation",
)  # fmt: skip
#: Lengths, rank and a few other keys beside those.
SETTINGS = st.fixed_dictionaries(
    {
        "seq_len": st.sampled_from([128, 1024, 16384]),
        "micro_batch": st.sampled_from([1, 3]),
        "lora_rank": st.sampled_from([4, 64]),
    },
    optional={name: st.sampled_from(get_args(values)) for name, values in OTHERS.items()}
    | {name: st.booleans() for name in FLAGS},
)
JOBS = st.builds(lambda kind, said: {**said, **kind}, st.sampled_from(KINDS), SETTINGS)
ANYTHING = st.fixed_dictionaries(
    {
        "method": st.sampled_from(get_args(query.Method)),
        "stack": st.sampled_from(get_args(query.Stack)),
        "base_dtype": st.sampled_from(get_args(query.BaseDtype)),
    }
)
GPUS = st.sampled_from([1, 2, 8])
EVERY_JOB = settings(deadline=None, max_examples=100)


@cache
def all_models() -> tuple[Any, ...]:
    return tuple(architecture(model) for model in every_id())


def found_for(model: str, said: dict[str, Any], gpus: int = 1) -> MemoryEstimate:
    """The estimate; a job that is refused is another test's."""
    try:
        return estimate(architecture(model), Training(**said), gpus=gpus)
    except Refusal:
        assume(False)
        raise


@EVERY_JOB
@given(model=MODELS, said=JOBS, gpus=GPUS)
def test_an_estimate_adds_up_and_is_ordered(model: str, said: dict[str, Any], gpus: int) -> None:
    found = found_for(model, said, gpus)
    assert found.breakdown.total_gib() == pytest.approx(found.peak_gib)
    assert found.peak_gib == found.device_gib
    assert all(value >= 0 and math.isfinite(value) for _, value in found.breakdown.parts())
    assert 0 <= found.static_gib <= found.allocated_gib * (1 + 1e-12)
    assert found.allocated_gib > 0
    assert found.allocated_gib <= found.reserved_gib <= found.device_gib
    assert found.low_gib <= found.device_gib <= found.high_gib
    standing = found.breakdown.weights + found.breakdown.adapters + found.breakdown.optimizer
    assert standing <= found.low_gib
    assert found.active_params <= found.total_params


@EVERY_JOB
@given(model=MODELS, said=JOBS, gpus=GPUS, key=st.sampled_from(["seq_len", "micro_batch"]))
def test_longer_sequences_and_larger_batches_never_need_less(
    model: str, said: dict[str, Any], gpus: int, key: str
) -> None:
    smaller = found_for(model, said, gpus)
    larger = found_for(model, {**said, key: said[key] * 2}, gpus)
    assert larger.device_gib >= smaller.device_gib
    assert larger.static_gib == smaller.static_gib


@EVERY_JOB
@given(model=MODELS, said=JOBS, gpus=GPUS)
def test_a_higher_rank_never_needs_less(model: str, said: dict[str, Any], gpus: int) -> None:
    low = found_for(model, said, gpus)
    high = found_for(model, {**said, "lora_rank": 2 * said["lora_rank"]}, gpus)
    assert high.device_gib >= low.device_gib
    assert (high.trainable_params > low.trainable_params) == (
        said["method"] in ("lora", "qlora", "dora")
    )


@EVERY_JOB
@given(model=MODELS, said=JOBS, gpus=st.sampled_from([2, 4, 16]))
def test_more_gpus_never_keep_more_state_each(model: str, said: dict[str, Any], gpus: int) -> None:
    many = {**said, "global_batch": 4096}
    fewer, more = (found_for(model, many, n) for n in (gpus, 2 * gpus))
    assert more.static_gib <= fewer.static_gib * (1 + 1e-12)


@EVERY_JOB
@given(model=MODELS, said=JOBS)
def test_checkpointing_and_a_fused_loss_never_cost_memory(model: str, said: dict[str, Any]) -> None:
    plain = {
        **said,
        "loss": "standard",
        "gradient_checkpointing": "none",
        "activation_offload": False,  # the other way to spare activations
    }
    as_said = found_for(model, plain)
    assert found_for(model, {**plain, "loss": "fused_linear"}).device_gib <= as_said.device_gib
    recomputed = found_for(model, {**plain, "gradient_checkpointing": "full"})
    assert recomputed.device_gib <= as_said.device_gib * 1.005  # one layer's adapters recomputed


@EVERY_JOB
@given(model=MODELS, said=SETTINGS, kind=ANYTHING, gpus=GPUS)
def test_whatever_is_refused_is_refused_with_a_reason(
    model: str, said: dict[str, Any], kind: dict[str, Any], gpus: int
) -> None:
    """D032: a figure or one of the known sentences, never another error."""
    try:
        found = estimate(architecture(model), Training(**said, **kind), gpus=gpus)
    except Refusal as refused:
        assert refused.note.code.startswith(("memory.", "models."))
    else:
        assert found.trainable_params > 0


@pytest.mark.parametrize("method", get_args(query.Method))
def test_every_model_of_the_registry_is_estimated_or_refused_with_a_reason(method: str) -> None:
    """On a stack that has the method, only image models, models whose sizes nobody published, and
    prefixes on latent attention are refused."""
    stack = "litgpt" if method == "adapter_v2" else "hf-trl"
    reasons = set()
    for model in all_models():
        try:
            found = estimate(model, Training.model_validate({"method": method, "stack": stack}))
        except Refusal as refused:
            reasons.add(refused.note.code)
            continue
        assert (found.trainable_params == found.total_params) == (method == "full"), model.hf_id
        assert 0 < found.breakdown.weights < found.low_gib <= found.high_gib, model.hf_id
    allowed = {"memory.diffusion_method", "memory.diffusion_unsupported", "models.sizes_unknown"}
    assert reasons <= allowed | ({"memory.prefix_on_latent_attention"} & reasons)
    assert ("memory.prefix_on_latent_attention" in reasons) == (method == "prefix")


@pytest.mark.parametrize("base_dtype", ["nf4", "int8", "gptq-int4", "fp8"])
def test_a_mixture_in_few_bits_still_weighs_all_its_experts(base_dtype: str) -> None:
    """D002, D003: whatever is active per token, the weights follow the total."""
    mixtures = [model for model in all_models() if model.n_experts and model.arch != "hybrid"]
    assert len(mixtures) > 30
    for model in mixtures:
        asked = Training.model_validate({"method": "lora", "base_dtype": base_dtype})
        bytes_per_param = weight_bytes(count(model), settle(model, asked).setup) / (
            model.params_total
        )
        assert bytes_per_param > 0.5, model.hf_id
        assert bytes_per_param * model.params_total > model.params_active, model.hf_id
