"""Published end-to-end cases that the estimator meets before it is calibrated (cases.csv).

The others (H05, H06, H19, H21 and the measured slopes) belong to the calibration.
"""

from collections.abc import Callable

import pytest

from planner.memory.estimate import estimate
from planner.models.registry import resolve
from planner.plan.result import Plan
from planner.query import Training

PlanFor = Callable[..., Plan]


A100, A100_40 = "A100-SXM4-80GB", "A100-SXM4-40GB"


@pytest.mark.parametrize(
    ("case", "job", "count", "gpu", "verdicts"),
    [
        ("H01", "llama-3.1-8b full", 1, A100_40, "does_not_fit"),
        # published: about 160 GB in all, so two cards are at the line and four are safe
        ("H02", "llama-3.1-70b lora", 1, A100, "does_not_fit"),
        ("H02", "llama-3.1-70b lora", 2, A100, "tight does_not_fit"),
        ("H02", "llama-3.1-70b lora", 4, A100, "fits"),
        ("H05", "llama-2-70b qlora", 1, "RTX-3090", "does_not_fit"),
        ("H08", "llama-3-8b lora", 1, "RTX-3060-12GB", "does_not_fit"),
        # measured 65 GB: one 80 GB card, not one of 48
        ("H11", "gpt-oss-120b qlora", 1, A100, "fits tight"),
        ("H11", "gpt-oss-120b qlora", 1, "RTX-A6000", "does_not_fit"),
        # measured 23.5 GB and, on GPTQ weights without fp32 casts, 75.6 GB: NF4 under TRL needs
        # more
        ("H16", "qwen-7b qlora 8192", 1, "RTX-4090", "tight does_not_fit"),
        ("H17", "qwen-72b qlora 8192", 1, "RTX-A6000", "does_not_fit"),
        # measured out of memory; the weights alone are 20 GB
        ("H24", "falcon-40b qlora", 1, A100_40, "tight does_not_fit"),
    ],
)
def test_the_verdict_is_the_published_one(
    plan_for: PlanFor, case: str, job: str, count: int, gpu: str, verdicts: str
) -> None:
    model, method, *length = job.split()
    seq_len = int(length[0]) if length else None
    found = plan_for(model, method=method, gpu=gpu, gpu_count=count, seq_len=seq_len)
    assert found.verdict in verdicts.split(), case


def test_qwen_7b_lora_with_its_embeddings_trained() -> None:
    """H15: 33.7 GB with embeddings and head among what is trained, 20.1 GB without (+ 13.6)."""
    said = {"lora_rank": 64, "seq_len": 256, "precision": "bf16", "optimizer": "adamw"}
    plain, more = (
        estimate(
            resolve("Qwen/Qwen-7B").architecture,
            Training(method="lora", stack="hf-trainer", train_embeddings=trained, **said),
        )
        for trained in (False, True)
    )
    gb = 1e9 / 2**30
    assert 0.85 * 33.7 * gb <= more.device_gib <= 1.15 * 33.7
    assert 0.85 * 13.6 * gb <= more.device_gib - plain.device_gib <= 1.15 * 13.6


def test_two_cards_of_24_gb_are_not_one_of_48(plan_for: PlanFor) -> None:
    """D024: data parallel keeps Mixtral whole on each card; Turing has no FlashAttention."""
    said = {"method": "qlora", "gpu": "Quadro-RTX-6000"}
    copied = plan_for("mixtral-8x7b", gpu_count=2, training={"sharding": "ddp"}, **said)
    assert copied.verdict == "does_not_fit"
    assert copied.usable_gib is not None
    assert copied.estimate.low_gib > copied.usable_gib
    assert plan_for("mixtral-8x7b", gpu_count=1, **said).verdict == "does_not_fit"
    split = plan_for("mixtral-8x7b", gpu_count=2, training={"sharding": "fsdp"}, **said)
    assert split.estimate.breakdown.weights < 0.6 * copied.estimate.breakdown.weights
    codes = [one.code for one in copied.warnings]
    assert "plan.no_bf16" in codes  # its words name FlashAttention too


@pytest.mark.parametrize(("seq_len", "measured_gb"), [(2048, 23.8), (4096, 29.7), (8192, 36.6)])
def test_qwen_7b_lora_over_sequence_length(seq_len: int, measured_gb: float) -> None:
    """H14: within 15 % of what Qwen measured on one A100-80 (its GB may be GiB)."""
    asked = Training(
        method="lora", stack="hf-trainer", lora_rank=64, seq_len=seq_len, precision="bf16",
    )  # fmt: skip
    found = estimate(resolve("Qwen/Qwen-7B-Chat").architecture, asked)
    assert 0.85 * measured_gb * 1e9 / 2**30 <= found.device_gib <= 1.15 * measured_gb
