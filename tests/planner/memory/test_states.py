"""Weights, gradients and optimizer states: bytes per parameter, and how sharding divides them.

Llama-3.1-8B by hand: 8 030 261 248 parameters, of which 6 979 321 856 lie in the linear layers;
embeddings and head hold 128 256 x 4096 each.
"""

from collections.abc import Callable

import pytest

from planner.memory.optimizer import lives_on_gpu, state_bytes_per_param
from planner.memory.result import MemoryEstimate
from planner.memory.setup import Setup

GIB = 2**30
TOTAL, LINEAR, VOCAB_MATRIX = 8_030_261_248, 6_979_321_856, 128_256 * 4096
EstimateOf = Callable[..., MemoryEstimate]
SetupOf = Callable[..., Setup]


def weights_gib(estimate_of: EstimateOf, method: str, **said: object) -> float:
    return estimate_of("llama-3.1-8b", method, **said).breakdown.weights


@pytest.mark.parametrize(
    ("method", "said", "linear_bytes", "other_bytes"),
    [
        ("lora", {}, 2, 2),
        ("lora", {"base_dtype": "fp16"}, 2, 2),
        ("lora", {"base_dtype": "fp32"}, 4, 4),
        # 4 bits, one fp32 constant per 64 weights
        ("qlora", {"double_quant": False, "kbit_preparation": False}, 0.5 + 4 / 64, 2),
        # the constants as uint8, fp32 for each 256 of them (Dettmers et al., 2023: 0.127 bits)
        ("qlora", {"kbit_preparation": False}, 0.5 + 0.127 / 8, 2),
        # preparation turns everything that is not quantised to fp32
        ("qlora", {"kbit_preparation": True}, 0.5 + 0.127 / 8, 4),
        ("lora", {"base_dtype": "int8", "kbit_preparation": False}, 1, 2),
        ("full", {"precision": "bf16"}, 2, 2),
        ("full", {"precision": "amp"}, 4, 4),
    ],
)
def test_weights_by_dtype(
    estimate_of: EstimateOf,
    method: str,
    said: dict[str, object],
    linear_bytes: float,
    other_bytes: float,
) -> None:
    expected = (LINEAR * linear_bytes + (TOTAL - LINEAR) * other_bytes) / GIB
    assert weights_gib(estimate_of, method, **said) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("said", "bytes_per_param"),
    [
        ({"optimizer": "adamw-fused", "precision": "bf16"}, 4),
        ({"optimizer": "adamw", "precision": "amp"}, 8),
        ({"optimizer": "adamw-fused", "precision": "bf16", "optimizer_states": "fp32"}, 8),
        # the 2 + 2 + 12 of mixed-precision training: fp32 copy and two fp32 moments (D015)
        ({"optimizer": "adamw", "precision": "bf16", "master_weights": True}, 12),
        ({"optimizer": "adamw-8bit", "precision": "bf16"}, 2 + 2 * 4 / 256),
        ({"optimizer": "adamw-4bit", "precision": "bf16"}, 1 + 2 * 4 / 128),
        ({"optimizer": "sgd", "precision": "bf16"}, 0),
        ({"optimizer": "muon", "precision": "bf16"}, 2),
    ],
)
def test_optimizer_states_per_parameter(
    setup_of: SetupOf, said: dict[str, object], bytes_per_param: float
) -> None:
    assert state_bytes_per_param(setup_of("llama-3.1-8b", "full", **said)) == bytes_per_param


def test_paged_and_offloaded_states_leave_the_gpu(
    setup_of: SetupOf, estimate_of: EstimateOf
) -> None:
    assert not lives_on_gpu(setup_of("llama-3.1-8b", "full", optimizer="paged-adamw-8bit"))
    kept = estimate_of("llama-3.1-8b", "full", optimizer="adamw-8bit", stack="torchtune")
    paged = estimate_of("llama-3.1-8b", "full", optimizer="paged-adamw-8bit")
    assert kept.breakdown.optimizer == pytest.approx(TOTAL * (2 + 2 * 4 / 256) / GIB)
    assert paged.breakdown.optimizer == 0


def test_hugging_faces_trainer_keeps_32_bit_states_of_embeddings(estimate_of: EstimateOf) -> None:
    """Its 8-bit optimizers register a 32-bit override for every nn.Embedding: 8 bytes a weight."""
    said = {"optimizer": "adamw-8bit", "precision": "bf16"}
    trainer = estimate_of("llama-3.1-8b", "full", stack="hf-trainer", **said)
    own_loop = estimate_of("llama-3.1-8b", "full", stack="hf-peft", **said)
    more = (trainer.breakdown.optimizer - own_loop.breakdown.optimizer) * GIB
    assert more == pytest.approx(VOCAB_MATRIX * (8 - 2 - 2 * 4 / 256))


def test_muon_leaves_embeddings_and_head_to_adamw(estimate_of: EstimateOf) -> None:
    """One moment for the layers' matrices, two for all else (torch.optim.Muon takes matrices)."""
    found = estimate_of("llama-3.1-8b", "full", optimizer="muon", precision="bf16")
    assert found.breakdown.optimizer * GIB == LINEAR * 2 + (TOTAL - LINEAR) * 4


def test_full_bf16_with_default_adamw_peaks_near_ten_bytes_a_parameter(
    estimate_of: EstimateOf,
) -> None:
    """2 weights + 2 gradients + 4 moments + 2 temporaries of the foreach step; D015's reader can
    add them up from the breakdown."""
    found = estimate_of(
        "llama-3.1-8b", "full", precision="bf16", optimizer="adamw", seq_len=128, micro_batch=1
    )
    assert found.peak_phase == "optimizer_step"
    assert found.allocated_gib * GIB / TOTAL == pytest.approx(10, rel=1e-6)


@pytest.mark.parametrize(
    ("sharding", "weights", "optimizer"),
    [("ddp", 1, 1), ("zero1", 1, 8), ("zero2", 1, 8), ("zero3", 8, 8), ("fsdp", 8, 8)],
)
def test_each_stage_divides_what_it_shards(
    estimate_of: EstimateOf, sharding: str, weights: int, optimizer: int
) -> None:
    """D014: weights and optimizer states over eight GPUs, bf16 with states in bf16."""
    found = estimate_of("llama-3.1-8b", "full", precision="bf16", sharding=sharding, gpus=8)
    assert found.breakdown.weights == pytest.approx(TOTAL * 2 / weights / GIB)
    assert found.breakdown.optimizer == pytest.approx(TOTAL * 4 / optimizer / GIB)


def test_every_zero_stage_needs_less_than_the_one_before(estimate_of: EstimateOf) -> None:
    """D014: distinct numbers for each stage, gradients sharded from stage 2 on."""
    said = {"precision": "bf16", "gpus": 8, "seq_len": 512, "global_batch": 64}
    none, one, two, three = (
        estimate_of("llama-3.1-8b", "full", sharding=sharding, **said)
        for sharding in ("ddp", "zero1", "zero2", "zero3")
    )
    assert none.device_gib > one.device_gib > two.device_gib > three.device_gib
    gradients = [found.breakdown.gradients for found in (one, two, three)]
    assert gradients == pytest.approx([TOTAL * 2 / GIB, TOTAL / 4 / GIB, TOTAL / 4 / GIB])
    standing = [found.static_gib * GIB / TOTAL for found in (one, two, three)]
    assert standing == pytest.approx([2 + 2 + 4 / 8, 2 + 2 / 8 + 4 / 8, (2 + 2 + 4) / 8])


def test_ddp_keeps_a_second_copy_of_the_gradients_in_its_buckets(estimate_of: EstimateOf) -> None:
    said = {"precision": "bf16", "seq_len": 128}
    alone = estimate_of("llama-3.1-8b", "full", **said)
    twins = estimate_of("llama-3.1-8b", "full", sharding="ddp", gpus=2, **said)
    assert twins.allocated_gib - alone.allocated_gib == pytest.approx(TOTAL * 2 / GIB, rel=0.01)


def test_a_full_shard_still_gathers_whole_layers_and_the_root(estimate_of: EstimateOf) -> None:
    """Sharded over ever more GPUs, two layers and embeddings with head remain (D022)."""
    found = estimate_of(
        "llama-3.1-8b", "full", precision="bf16", sharding="fsdp", gpus=64, loss="fused_linear"
    )
    assert found.peak_phase == "backward"
    gathered = (2 * LINEAR / 32 + 2 * VOCAB_MATRIX) * 2 / GIB
    assert found.breakdown.temporary == pytest.approx(gathered, rel=1e-6)


def test_training_the_embeddings_adds_two_vocabulary_matrices(estimate_of: EstimateOf) -> None:
    """D027: 2 x 128256 x 4096 = 1.05 B more parameters, about + 17 GB with AdamW while gradients
    accumulate, in LLaMA-Factory, which trains them in fp32; half in stacks that leave them bf16."""
    said = {"stack": "llama-factory", "global_batch": 16}
    plain = estimate_of("llama-3-8b", "lora", **said)
    more = estimate_of("llama-3-8b", "lora", train_embeddings=True, **said)
    assert more.trainable_params - plain.trainable_params == 2 * VOCAB_MATRIX == 1_050_673_152
    grown = more.static_gib - plain.static_gib
    assert grown == pytest.approx(2 * VOCAB_MATRIX * (4 + 4 + 8) / GIB, rel=1e-6)
    said = {"stack": "hf-trainer", "global_batch": 16}
    plain, more = (
        estimate_of("llama-3-8b", "lora", train_embeddings=both, **said) for both in (False, True)
    )
    grown = more.static_gib - plain.static_gib
    assert grown == pytest.approx(2 * VOCAB_MATRIX * (2 + 2 + 4) / GIB, rel=1e-6)


def test_optimizer_in_backward_never_holds_all_gradients(estimate_of: EstimateOf) -> None:
    said = {"precision": "bf16", "optimizer": "adamw-8bit", "seq_len": 512}
    usual = estimate_of("llama-3.1-8b", "full", **said)
    fused = estimate_of("llama-3.1-8b", "full", optimizer_in_backward=True, **said)
    saved = TOTAL * 2 / GIB - fused.breakdown.gradients
    assert fused.breakdown.gradients <= VOCAB_MATRIX * 2 / GIB
    assert usual.allocated_gib - fused.allocated_gib > 0.7 * saved


def test_offload_moves_states_to_the_host(estimate_of: EstimateOf) -> None:
    said = {"precision": "bf16", "sharding": "zero3", "gpus": 8}
    kept = estimate_of("llama-3.1-8b", "full", **said)
    moved = estimate_of("llama-3.1-8b", "full", offload=True, **said)
    assert moved.breakdown.weights == moved.breakdown.optimizer == 0
    assert moved.device_gib < kept.device_gib
    assert moved.host_ram_gib is not None and kept.host_ram_gib is not None
    assert moved.host_ram_gib >= TOTAL * 8 / GIB > kept.host_ram_gib - 8 * 4


def test_host_ram_is_per_node_and_holds_the_checkpoint_that_is_sharded(
    estimate_of: EstimateOf,
) -> None:
    """D034, D035: 70B sharded over two GPUs reads 2 bytes a parameter, over 128 GB, per node."""
    one = estimate_of("llama-2-70b", "qlora", gpus=2, sharding="fsdp")
    two = estimate_of("llama-2-70b", "qlora", gpus=2, nodes=2, sharding="fsdp")
    assert one.host_ram_gib is not None and two.host_ram_gib is not None
    assert one.host_ram_gib * GIB > 128e9
    assert two.host_ram_gib * GIB > 128e9


def test_offloaded_activations_lie_in_host_memory(estimate_of: EstimateOf) -> None:
    """What leaves the GPU, 30 of 32 layers' activations, is held by the host."""
    said = {"gradient_checkpointing": "none", "seq_len": 16384, "stack": "torchtune"}
    kept = estimate_of("llama-3.1-8b", "lora", **said)
    moved = estimate_of("llama-3.1-8b", "lora", activation_offload=True, **said)
    assert moved.device_gib < kept.device_gib
    saved = (12 * 4096 + 4 * 4096 + 4 * 1024 + 8 * 14336) * 16384 * 30 / GIB
    assert moved.host_ram_gib is not None
    assert saved < moved.host_ram_gib < 1.2 * saved + 4


def test_deepspeed_turns_what_is_not_quantised_back_to_16_bits(estimate_of: EstimateOf) -> None:
    """K-bit preparation's fp32 embeddings and head do not survive DeepSpeed's own casting."""
    plain, in_deepspeed = (
        estimate_of("qwen-7b", "qlora", sharding=sharding) for sharding in ("none", "zero2")
    )
    outside = 2 * 152064 * 3584
    saved = (plain.breakdown.weights - in_deepspeed.breakdown.weights) * 2**30
    assert saved == pytest.approx(2 * outside, rel=0.01)
