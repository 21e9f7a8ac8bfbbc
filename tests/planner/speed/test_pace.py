"""Speed: arithmetic per token from the papers, and what links and layouts do to it."""

from typing import Any

import pytest

from planner.gpus.registry import get
from planner.memory.counts import count
from planner.memory.setup import Setup, settle
from planner.models.registry import resolve
from planner.query import Training
from planner.speed.pace import Speed, speed
from planner.speed.step import StepWork, step_work

A100 = "A100-SXM4-80GB"


def setup_of(model: str, method: str, gpus: int = 1, nodes: int = 1, **said: Any) -> Setup:
    asked = Training.model_validate({"method": method, **said})
    return settle(resolve(model).architecture, asked, gpus=gpus, nodes=nodes).setup


def step(model: str, method: str, sample_tokens: int | None = None, **said: Any) -> StepWork:
    row = resolve(model).architecture
    return step_work(row, count(row), setup_of(model, method, **said), sample_tokens)


def flops(model: str, method: str, **said: Any) -> float:
    """Operations per token."""
    found = step(model, method, **said)
    return (found.linear_flops + found.attention_flops) / found.tokens


def pace(model: str, method: str, gpu: str = A100, link: str = "nvlink", **said: Any) -> Speed:
    found = speed(step(model, method, **said), setup_of(model, method, **said), get(gpu), link)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("method", "checkpointing", "passes", "head_passes"),
    [
        ("full", "none", 3, 3),
        ("full", "full", 4, 3),
        ("lora", "none", 2, 2),
        ("qlora", "full", 3, 2),
    ],
)
def test_each_pass_costs_two_operations_per_parameter(
    method: str, checkpointing: str, passes: int, head_passes: int
) -> None:
    """Kaplan et al. 2020: 6 N for training without the embedding's table, which is looked up; a
    frozen base needs no weight gradients, recomputing adds a forward of the layers. Attention at
    length 1 is negligible. Llama 3.1 8B: 8.03 B, of which 0.525 B head and as many embedding.
    """
    found = flops("llama-3.1-8b", method, seq_len=1, gradient_checkpointing=checkpointing)
    expected = 2 * (passes * (8.03e9 - 2 * 0.525e9) + head_passes * 0.525e9)
    assert found == pytest.approx(expected, rel=0.001)


def test_attention_grows_with_length_up_to_the_window() -> None:
    """Causal attention: 2 x S x heads x head_dim x layers a token forward, twice that backward."""
    long, short = (
        flops("llama-3.1-8b", "full", seq_len=n, gradient_checkpointing="none")
        for n in (32768, 16384)
    )
    assert long - short == pytest.approx(3 * 2 * 16384 * 4096 * 32)
    windowed = resolve("mistral-7b-v0.1").architecture.sliding_window
    assert windowed == 4096
    assert flops("mistral-7b-v0.1", "lora", seq_len=8192) == flops(
        "mistral-7b-v0.1", "lora", seq_len=32768
    )


def test_a_mixture_runs_at_the_speed_of_its_active_parameters() -> None:
    """D002: active parameters touch speed: 3.3 of 30.5 B, 0.31 B of them embedding."""
    found = flops("qwen3-30b-a3b", "full", seq_len=1)
    assert found == pytest.approx(8 * 3.35e9 - 8 * 0.31e9 - 2 * 0.31e9, rel=0.02)


def test_no_card_computes_beyond_its_rate() -> None:
    for gpu in (A100, "RTX-4090", "H100-SXM5", "V100-SXM2-32GB"):
        card = get(gpu)
        rate = card.bf16_dense_tflops if card.supports_bf16 else card.fp16_dense_tflops
        assert rate is not None
        found = pace("llama-3.1-8b", "lora", gpu, seq_len=4096)
        used = found.tokens_per_s * flops("llama-3.1-8b", "lora", seq_len=4096)
        assert 0.1 * rate * 1e12 < used < 0.7 * rate * 1e12


def test_a_card_without_bf16_is_paced_by_fp16() -> None:
    """D041: the T4 has 65 fp16 TFLOPS and no bf16 rate at all."""
    assert get("T4").bf16_dense_tflops is None
    assert pace("qwen2.5-0.5b", "lora", "T4").tokens_per_s > 0


def test_an_unknown_rate_is_no_speed() -> None:
    unknown = get(A100).model_copy(update={"bf16_dense_tflops": None})
    asked = step("llama-3.1-8b", "lora")
    assert speed(asked, setup_of("llama-3.1-8b", "lora"), unknown, "nvlink") is None


def test_links_slow_what_is_sharded_over_them() -> None:
    said: dict[str, Any] = {"gpus": 8, "sharding": "fsdp", "seq_len": 512}
    nvlink = pace("llama-3.1-70b", "full", link="nvlink", **said)
    pcie = pace("llama-3.1-70b", "full", link="pcie", **said)
    assert pcie.bound == "links"
    assert pcie.tokens_per_s < nvlink.tokens_per_s / 3
    copies = pace("llama-3.1-8b", "lora", link="pcie", gpus=8, sharding="ddp")
    assert copies.bound != "links"


def test_copies_scale_and_a_device_map_does_not() -> None:
    one = pace("llama-3.1-8b", "lora").tokens_per_s
    four = pace("llama-3.1-8b", "lora", gpus=4, sharding="ddp").tokens_per_s
    mapped = pace("llama-3.1-8b", "lora", gpus=4, sharding="device_map").tokens_per_s
    assert four == pytest.approx(4 * one, rel=0.1)
    assert four < 4 * one
    assert mapped == pytest.approx(one)


def test_nodes_talk_more_slowly_than_nvlink() -> None:
    said: dict[str, Any] = {"gpus": 16, "sharding": "fsdp", "seq_len": 512}
    inside = pace("llama-3.1-70b", "full", nodes=1, **said)
    between = pace("llama-3.1-70b", "full", nodes=2, **said)
    assert between.tokens_per_s < inside.tokens_per_s


def test_a_card_nobody_measured_is_called_assumed_and_ranges_wider() -> None:
    measured = pace("llama-3.1-8b", "lora", A100)
    assumed = pace("llama-3.1-8b", "lora", "V100-SXM2-32GB")
    assert not measured.is_assumed
    assert assumed.is_assumed
    assert measured.low < measured.tokens_per_s < measured.high
    assert assumed.low / assumed.tokens_per_s < measured.low / measured.tokens_per_s
    assert assumed.high / assumed.tokens_per_s > measured.high / measured.tokens_per_s


def test_a_quantised_base_costs_time() -> None:
    """Every pass unpacks the weights: QLoRA is slower than LoRA, most so in small batches."""
    small, large = (
        pace("llama-3.1-8b", "qlora", seq_len=n).tokens_per_s
        / pace("llama-3.1-8b", "lora", seq_len=n).tokens_per_s
        for n in (512, 8192)
    )
    assert small < large < 1


def test_recomputing_and_offloading_cost_time() -> None:
    full = {"gradient_checkpointing": "full"}
    none = pace("llama-3.1-8b", "lora", gradient_checkpointing="none", seq_len=4096)
    assert (
        0.6
        < pace("llama-3.1-8b", "lora", seq_len=4096, **full).tokens_per_s / none.tokens_per_s
        < 1
    )
    said: dict[str, Any] = {"gpus": 2, "sharding": "fsdp", "seq_len": 2048}
    stays = pace("llama-3.1-70b", "qlora", "RTX-4090", "pcie", **said)
    moves = pace("llama-3.1-70b", "qlora", "RTX-4090", "pcie", offload=True, **said)
    assert moves.tokens_per_s < stays.tokens_per_s


def test_padding_is_worked_on_and_not_counted() -> None:
    """Alpaca and Orca: 289 tokens a sample take 445 in micro-batches of 4."""
    said: dict[str, Any] = {"seq_len": 4096, "micro_batch": 4, "packing": False}
    padded = step("mistral-7b-v0.1", "lora", 289, **said)
    assert padded.tokens == 4 * 289
    whole = step("mistral-7b-v0.1", "lora", seq_len=445, micro_batch=4)
    assert padded.linear_flops == pytest.approx(whole.linear_flops, rel=0.02)
    alone = step("mistral-7b-v0.1", "lora", 289, **said | {"micro_batch": 1})
    assert alone.linear_flops == step("mistral-7b-v0.1", "lora", seq_len=289).linear_flops


def test_accumulation_spreads_the_optimizer_over_micro_batches() -> None:
    asked, setup = step("qwen2.5-0.5b", "full"), setup_of("qwen2.5-0.5b", "full")
    once, often = (speed(asked, setup, get(A100), "single", n) for n in (1, 16))
    assert once is not None and often is not None
    assert once.tokens_per_s < often.tokens_per_s < 2 * once.tokens_per_s


def test_short_batches_wait_for_kernels_to_start() -> None:
    assert pace("qwen2.5-0.5b", "lora", "H100-SXM5", seq_len=256).bound == "kernels"
    assert pace("llama-3.1-70b", "lora", seq_len=8192).bound == "arithmetic"
