"""Allocated memory against PyTorch's own bookkeeping.

Each row is one training step of the transformers and peft code run on fake tensors (PyTorch 2.13,
transformers 5.24, peft 0.21) with every live storage counted: the GiB allocated at the peak and
the phase it falls in, with the backward of silu as the one kernel that it is on a GPU. No figure
here comes from Muat.
"""

from collections.abc import Callable
from typing import Any

import pytest

from planner.memory.result import MemoryEstimate

#: What the runs had in common: a loop of one's own, which does not hold the model's outputs.
COMMON = (
    "stack=hf-peft attention=sdpa loss=standard micro_batch=1 optimizer=adamw-fused precision=amp "
    "gradient_checkpointing=full"
)
ADAPTERS = "lora_rank=16 lora_targets=all-linear"

#: Residuals when these were written: median 0.2 %, worst 0.7 %.
ROWS = [
    ("llama-3.1-8b lora seq_len=512", 16.29324, "loss_backward"),
    ("llama-3.1-8b lora seq_len=2048 micro_batch=4", 29.29461, "loss_backward"),
    ("llama-3.1-8b lora seq_len=2048 lora_rank=64", 20.30036, "loss_backward"),
    ("llama-3.1-8b lora seq_len=2048 stack=hf-trl", 19.38336, "loss_backward"),
    ("llama-3.1-8b lora seq_len=8192 micro_batch=4", 70.89961, "loss_backward"),
    ("llama-3.1-8b lora seq_len=8192 loss=fused_linear", 20.06056, "backward"),
    ("llama-3.1-8b lora seq_len=4096 ckpt=none", 47.92109, "loss_backward"),
    ("llama-3.1-8b lora seq_len=2048 ckpt=none attention=eager", 55.95475, "loss_backward"),
    ("llama-3.1-8b lora seq_len=2048 ckpt=none precision=bf16", 29.40043, "loss_backward"),
    ("llama-3.1-8b lora seq_len=2048 ckpt=none precision=mixed", 36.39848, "loss_backward"),
    (
        "llama-3.1-8b lora seq_len=512 micro_batch=4 ckpt=none lora_rank=8 lora_targets=q,v",
        27.44792,
        "loss_backward",
    ),
    (
        "llama-3.1-8b lora seq_len=4096 precision=bf16 lora_rank=8 lora_targets=q,v",
        21.91222,
        "loss_backward",
    ),
    ("llama-3.1-8b qlora seq_len=2048", 12.6845, "loss_backward"),
    ("llama-3.1-8b qlora seq_len=2048 double_quant=false", 12.98739, "loss_backward"),
    ("llama-3.1-8b qlora seq_len=2048 kbit_preparation=false", 9.24748, "loss_backward"),
    ("llama-3.1-8b qlora seq_len=2048 ckpt=none", 29.75296, "loss_backward"),
    ("llama-3.1-8b qlora seq_len=4096 micro_batch=2 loss=fused_linear", 15.0905, "backward"),
    ("llama-2-7b lora seq_len=8192 loss=fused_linear", 17.3705, "backward"),
    ("llama-2-7b qlora seq_len=2048", 6.54572, "loss_backward"),
    ("qwen2.5-32b qlora seq_len=2048", 29.76959, "loss_backward"),
    ("qwen2.5-0.5b full seq_len=2048 precision=bf16", 6.33441, "loss_backward"),
    (
        "llama-3.1-8b full seq_len=2048 micro_batch=2 precision=bf16 ckpt=none",
        75.38633,
        "loss_backward",
    ),
    (
        "llama-3.1-8b full seq_len=512 micro_batch=4 precision=bf16 ckpt=none optimizer=adamw-8bit",
        45.4054,
        "loss_backward",
    ),
    ("llama-3.1-8b full seq_len=2048 precision=amp optimizer=adamw", 149.57527, "optimizer_step"),
    (
        "llama-3.2-1b full seq_len=2048 micro_batch=2 precision=amp ckpt=none",
        29.94663,
        "loss_backward",
    ),
    ("llama-3.2-1b full seq_len=512 precision=bf16 optimizer=adamw", 11.50942, "optimizer_step"),
    ("llama-3.2-1b full seq_len=512 precision=bf16 optimizer=adamw-8bit", 7.92052, "backward"),
    ("llama-3.2-1b full seq_len=512 precision=bf16 optimizer_states=fp32", 14.78983, "backward"),
    ("llama-3.2-1b full seq_len=512 precision=bf16 master_weights=true", 19.39359, "backward"),
    ("llama-3.2-1b full seq_len=512 precision=bf16 optimizer=sgd", 5.58229, "backward"),
    ("llama-3.2-1b full seq_len=512 precision=bf16 optimizer=adafactor", 8.52168, "optimizer_step"),
    ("llama-3.2-1b full seq_len=512 precision=bf16 global_batch=2", 10.67532, "backward"),
    (
        "llama-3.1-8b full seq_len=2048 micro_batch=2 precision=bf16 loss=fused_linear",
        59.96253,
        "backward",
    ),
    ("llama-2-7b full seq_len=2048 precision=bf16", 50.32356, "backward"),
    # mixtures of experts: every expert's weights, gradients and states
    ("gpt-oss-20b full seq_len=2048 precision=bf16 optimizer=adamw-8bit", 118.00797, "backward"),
    ("qwen3-30b-a3b full seq_len=2048 precision=bf16 optimizer=adamw-8bit", 171.50915, "backward"),
]


#: Methods beside LoRA on all linears: Llama-3.1-8B, 1,024 tokens. Residuals then: worst 0.6 %.
OTHER_METHODS = [
    ("prompt ckpt=none", 20.8086),
    ("prompt ckpt=full", 16.734),
    ("prefix ckpt=none", 21.1433),
    ("ia3 ckpt=none", 22.5628),
    ("ia3 ckpt=full", 16.6973),
    ("ia3 ckpt=none precision=bf16", 21.6839),
    ("dora ckpt=none lora_targets=all-linear", 28.889),
    ("dora ckpt=full lora_targets=all-linear", 17.4341),
    ("dora ckpt=none lora_targets=all-linear precision=mixed", 34.0191),
    ("dora ckpt=none lora_targets=all-linear precision=bf16", 27.5615),
    ("dora ckpt=none lora_targets=q,v", 21.8992),
    ("lora ckpt=none lora_targets=q,v precision=mixed", 21.76),
    ("lora ckpt=none lora_targets=gate,up,down", 22.3915),
    ("lora ckpt=none lora_targets=gate,up,down precision=mixed", 23.7169),
    ("lora ckpt=none lora_targets=gate,up,down precision=bf16", 21.9308),
]


@pytest.mark.parametrize(("run", "allocated_gib"), OTHER_METHODS)
def test_other_methods_allocate_what_pytorch_does(
    run: str, allocated_gib: float, estimate_of: Callable[..., MemoryEstimate]
) -> None:
    method, *said = run.split()
    pairs = [pair.replace("ckpt=", "gradient_checkpointing=") for pair in said]
    keys: dict[str, Any] = dict(pair.split("=") for pair in (*COMMON.split(), *pairs))
    found = estimate_of("llama-3.1-8b", method, **{**keys, "seq_len": 1024})
    assert found.allocated_gib == pytest.approx(allocated_gib, rel=0.0075)


def estimated(text: str, estimate_of: Callable[..., MemoryEstimate]) -> MemoryEstimate:
    model, method, *said = text.split()
    said = [pair.replace("ckpt=", "gradient_checkpointing=") for pair in said]
    base = COMMON if method == "full" else f"{COMMON} {ADAPTERS}"
    keys: dict[str, Any] = dict(pair.split("=") for pair in (*base.split(), *said))
    return estimate_of(model, method, **keys)


@pytest.mark.parametrize(("run", "allocated_gib", "phase"), ROWS)
def test_llama_like_models_allocate_what_pytorch_does(
    run: str, allocated_gib: float, phase: str, estimate_of: Callable[..., MemoryEstimate]
) -> None:
    found = estimated(run, estimate_of)
    assert found.allocated_gib == pytest.approx(allocated_gib, rel=0.0075)
    assert found.peak_phase == phase


def test_where_three_phases_of_qlora_nearly_meet_the_estimate_still_holds(
    estimate_of: Callable[..., MemoryEstimate],
) -> None:
    """Loss, its backward and the layers' lie within 1.6 % of each other here."""
    found = estimated("llama-2-13b qlora seq_len=2048", estimate_of)
    assert found.allocated_gib == pytest.approx(10.6925, rel=0.0075)


def test_padding_that_needs_a_mask_is_the_known_gap(
    estimate_of: Callable[..., MemoryEstimate],
) -> None:
    """A padded batch keeps 2 S + 4 (Hq - Hkv) bytes more per token and layer: not estimated yet."""
    run = "llama-3.1-8b lora seq_len=2048 micro_batch=2 ckpt=none"
    gap = 4096 * 32 * (2 * 2048 + 4 * (4096 - 1024)) / 2**30
    found = estimated(run, estimate_of).allocated_gib
    assert found + gap == pytest.approx(49.92793, rel=0.005)
