"""What no formula covers is refused with its reason, not priced as something else (D016, D032)."""

from collections.abc import Callable

import pytest

from planner.errors import BadInput
from planner.memory.result import MemoryEstimate
from planner.memory.stacks import every_profile

EstimateOf = Callable[..., MemoryEstimate]


@pytest.mark.parametrize(
    ("run", "code", "named"),
    [
        ("llama-3.1-8b full tensor_parallel=2", "parallelism_unsupported", "tensor_parallel"),
        ("llama-3.1-8b full pipeline_parallel=4", "parallelism_unsupported", "pipeline_parallel"),
        ("mixtral-8x7b full expert_parallel=2", "parallelism_unsupported", "expert_parallel"),
        ("llama-3.1-8b lora context_parallel=2", "parallelism_unsupported", "context_parallel"),
        ("llama-3.1-8b full stack=megatron", "megatron_unsupported", ""),
        ("llama-3.1-8b lora lora_targets=q,zzz", "unknown_target", "zzz"),
        ("llama-3.1-8b full base_dtype=nf4", "full_needs_floats", "nf4"),
        ("llama-3.1-8b qlora base_dtype=bf16", "qlora_needs_quantised", "bf16"),
        ("llama-3.1-8b lora base_dtype=int8 sharding=fsdp", "cannot_shard_dtype", "int8"),
        ("llama-3.1-8b qlora base_dtype=int8 sharding=zero3", "cannot_shard_dtype", "zero3"),
        (
            "llama-3.1-8b full optimizer_in_backward=true sharding=zero2",
            "optimizer_in_backward_needs_torch",
            "zero2",
        ),
        (
            "llama-3.1-8b full optimizer_in_backward=true global_batch=8",
            "optimizer_in_backward_no_accumulation",
            "",
        ),
        (
            "llama-3.1-8b lora optimizer_in_backward=true sharding=ddp",
            "optimizer_in_backward_needs_torch",
            "ddp",
        ),
        ("google/gemma-3n-E4B-it lora", "sizes_unknown", "gemma-3n"),
        # what a stack does not have
        ("llama-3.1-8b adapter_v2", "method_not_in_stack", "litgpt"),
        ("llama-3.1-8b prefix stack=torchtune", "method_not_in_stack", "hf-peft"),
        ("llama-3.1-8b ia3 stack=unsloth", "method_not_in_stack", "hf-peft"),
        ("llama-3.1-8b qlora base_dtype=gptq-int4 stack=torchtune", "base_not_in_stack", "hf-trl"),
        ("llama-3.1-8b lora base_dtype=fp8 stack=litgpt", "base_not_in_stack", "ms-swift"),
        ("gpt-oss-20b lora base_dtype=mxfp4", "base_not_in_stack", "unsloth"),
        ("llama-3.1-8b qlora base_dtype=mxfp4 stack=unsloth", "not_published_in", "mxfp4"),
        # what a method does not do
        ("llama-3.1-8b dora base_dtype=gptq-int4", "method_not_on_gptq", "gptq-int4"),
        ("llama-3.1-8b ia3 base_dtype=gptq-int8", "method_not_on_gptq", "ia3"),
        ("deepseek-v3 prefix", "prefix_on_latent_attention", "DeepSeek"),
        ("mixtral-8x7b dora lora_targets=all-linear", "dora_on_experts", ""),
        ("llama-3.1-8b full precision=mixed", "mixed_needs_adapters", ""),
        ("llama-3.1-8b full base_dtype=fp8", "full_needs_floats", "fp8"),
        # what a layout or an optimizer does not do
        ("llama-3.1-8b full offload=true sharding=ddp", "offload_needs_sharding", "ddp"),
        ("llama-3.1-8b lora offload=true sharding=device_map", "offload_needs_sharding", "map"),
        (
            "gpt-oss-20b qlora base_dtype=mxfp4 stack=unsloth sharding=fsdp",
            "cannot_shard_dtype",
            "mxfp4",
        ),
        ("mixtral-8x7b full optimizer=muon", "muon_on_experts", ""),
    ],
)
def test_it_is_refused(estimate_of: EstimateOf, run: str, code: str, named: str) -> None:
    model, method, *said = run.split()
    with pytest.raises(BadInput) as refused:
        estimate_of(model, method, **dict(pair.split("=") for pair in said))
    domain = "models" if code == "sizes_unknown" else "memory"
    assert refused.value.note.code == f"{domain}.{code}"
    assert named in str(refused.value.note.values)


@pytest.mark.parametrize(("gpus", "nodes"), [(0, 1), (3, 2), (8, 0)])
def test_gpus_that_nodes_cannot_share_are_refused(
    estimate_of: EstimateOf, gpus: int, nodes: int
) -> None:
    with pytest.raises(BadInput) as refused:
        estimate_of("llama-3.1-8b", "lora", gpus=gpus, nodes=nodes)
    assert refused.value.note.code == "memory.gpus_and_nodes"


@pytest.mark.parametrize("key", ["tensor_parallel", "context_parallel"])
def test_parallelism_of_one_is_no_parallelism(estimate_of: EstimateOf, key: str) -> None:
    plain = estimate_of("llama-3.1-8b", "lora")
    assert estimate_of("llama-3.1-8b", "lora", **{key: 1}) == plain


#: What goes together: method, base, optimizer, layout and switches, on a stack that has them.
SUPPORTED = [
    "full optimizer=adamw-8bit sharding=zero2 offload=true",
    "full optimizer=muon sharding=none",
    "full optimizer=adafactor optimizer_in_backward=true stack=torchtune sharding=fsdp",
    "full optimizer=sgd activation_offload=true stack=torchtune",
    "full optimizer=adamw-4bit base_dtype=fp32",
    "lora base_dtype=int8 sharding=ddp",
    "lora base_dtype=fp8 optimizer=paged-adamw",
    "dora base_dtype=nf4 sharding=fsdp",
    "dora base_dtype=int8",
    "qlora base_dtype=gptq-int4 sharding=fsdp",
    "qlora base_dtype=gptq-int8 stack=ms-swift",
    "qlora base_dtype=nf4 sharding=zero3 offload=true",
    "ia3 base_dtype=nf4",
    "prefix base_dtype=gptq-int4",
    "prompt base_dtype=int8",
    "adapter base_dtype=nf4 stack=litgpt",
    "adapter_v2 base_dtype=nf4 stack=litgpt",
]


@pytest.mark.parametrize("run", SUPPORTED)
@pytest.mark.parametrize("gpus", [1, 4])
def test_what_goes_together_is_estimated_as_asked(
    estimate_of: EstimateOf, run: str, gpus: int
) -> None:
    method, *said = run.split()
    keys = dict(pair.split("=") for pair in said)
    found = estimate_of("llama-3.1-8b", method, gpus=gpus, **keys)
    taken = str([one.values for one in found.assumptions])
    assert not any(f"{key}=" in taken for key in keys if keys[key] != "none"), taken


@pytest.mark.parametrize("stack", [one.stack for one in every_profile()])
def test_the_stacks_a_refusal_names_do_what_was_asked(estimate_of: EstimateOf, stack: str) -> None:
    """A way out that is refused in turn would be none."""
    for method in ("prefix", "adapter", "adapter_v2", "dora"):
        try:
            estimate_of("llama-3.1-8b", method, stack=stack)
        except BadInput as refused:
            named = refused.note.values.get("stacks", ())
            assert isinstance(named, tuple)
            assert stack not in named
            assert named or stack == "megatron"
            for other in named:
                assert estimate_of("llama-3.1-8b", method, stack=other).trainable_params > 0


@pytest.mark.parametrize(("gpus", "taken"), [(1, "sharding=zero2"), (4, "sharding=fsdp")])
def test_offload_without_a_layout_takes_one_that_offloads(
    estimate_of: EstimateOf, gpus: int, taken: str
) -> None:
    found = estimate_of("llama-3.1-8b", "lora", offload=True, gpus=gpus)
    assert taken in str(found.assumptions[0].values["settings"])
    assert found.breakdown.optimizer == 0
