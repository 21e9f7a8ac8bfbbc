"""What no formula covers is refused with its reason, not priced as something else (D016, D032)."""

from collections.abc import Callable

import pytest

from planner.errors import BadInput
from planner.memory.result import MemoryEstimate

EstimateOf = Callable[..., MemoryEstimate]


@pytest.mark.parametrize(
    ("run", "code", "named"),
    [
        ("llama-3.1-8b full tensor_parallel=2", "parallelism_unsupported", "tensor_parallel"),
        ("llama-3.1-8b full pipeline_parallel=4", "parallelism_unsupported", "pipeline_parallel"),
        ("mixtral-8x7b full expert_parallel=2", "parallelism_unsupported", "expert_parallel"),
        ("llama-3.1-8b lora context_parallel=2", "parallelism_unsupported", "context_parallel"),
        ("gemma-3n-e4b-it lora", "diffusion_unsupported", "n E4B"),
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
    ],
)
def test_it_is_refused(estimate_of: EstimateOf, run: str, code: str, named: str) -> None:
    model, method, *said = run.split()
    with pytest.raises(BadInput) as refused:
        estimate_of(model, method, **dict(pair.split("=") for pair in said))
    assert refused.value.note.code == f"memory.{code}"
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
