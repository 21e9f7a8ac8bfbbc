"""Speed: arithmetic per token from the papers, and what links and layouts do to it."""

from typing import Any

import pytest

from planner.gpus.registry import get
from planner.memory.counts import count
from planner.memory.setup import Setup, settle
from planner.models.registry import resolve
from planner.query import Training
from planner.speed import Speed, flops_per_token, speed

A100 = "A100-SXM4-80GB"


def setup_of(model: str, method: str, gpus: int = 1, nodes: int = 1, **said: Any) -> Setup:
    asked = Training.model_validate({"method": method, **said})
    return settle(resolve(model).architecture, asked, gpus=gpus, nodes=nodes).setup


def flops(model: str, method: str, **said: Any) -> float:
    row = resolve(model).architecture
    return flops_per_token(row, count(row), setup_of(model, method, **said))


def pace(model: str, method: str, gpu: str = A100, link: str = "nvlink", **said: Any) -> Speed:
    row = resolve(model).architecture
    found = speed(row, count(row), setup_of(model, method, **said), get(gpu), link)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("method", "checkpointing", "passes"),
    [("full", "none", 3), ("full", "full", 4), ("lora", "none", 2), ("qlora", "full", 3)],
)
def test_each_pass_costs_two_operations_per_parameter(
    method: str, checkpointing: str, passes: int
) -> None:
    """Kaplan et al. 2020: 6 N for training; a frozen base needs no weight gradients, recomputing
    adds a forward. Attention at length 1 is negligible."""
    found = flops("llama-3.1-8b", method, seq_len=1, gradient_checkpointing=checkpointing)
    assert found == pytest.approx(passes * 2 * 8.03e9, rel=0.001)


def test_attention_grows_with_length_up_to_the_window() -> None:
    """Causal attention: 2 x S x heads x head_dim x layers a token and pass."""
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
    """D002: active parameters touch speed: 3.3 of 30.5 B."""
    assert flops("qwen3-30b-a3b", "full", seq_len=1) == pytest.approx(8 * 3.35e9, rel=0.02)


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
    row = resolve("llama-3.1-8b").architecture
    unknown = get(A100).model_copy(update={"bf16_dense_tflops": None})
    assert speed(row, count(row), setup_of("llama-3.1-8b", "lora"), unknown, "nvlink") is None


def test_links_slow_what_is_sharded_over_them() -> None:
    said: dict[str, Any] = {"gpus": 8, "sharding": "fsdp", "seq_len": 512}
    nvlink = pace("llama-3.1-70b", "full", link="nvlink", **said)
    pcie = pace("llama-3.1-70b", "full", link="pcie", **said)
    assert pcie.bound_by_links
    assert pcie.tokens_per_s < nvlink.tokens_per_s / 3
    copies = pace("llama-3.1-8b", "lora", link="pcie", gpus=8, sharding="ddp")
    assert not copies.bound_by_links


def test_copies_scale_and_a_device_map_does_not() -> None:
    one = pace("llama-3.1-8b", "lora").tokens_per_s
    four = pace("llama-3.1-8b", "lora", gpus=4, sharding="ddp").tokens_per_s
    mapped = pace("llama-3.1-8b", "lora", gpus=4, sharding="device_map").tokens_per_s
    assert four == pytest.approx(4 * one)
    assert mapped == pytest.approx(one)


def test_nodes_talk_more_slowly_than_nvlink() -> None:
    said: dict[str, Any] = {"gpus": 16, "sharding": "fsdp", "seq_len": 512}
    inside = pace("llama-3.1-70b", "full", nodes=1, **said)
    between = pace("llama-3.1-70b", "full", nodes=2, **said)
    assert between.tokens_per_s < inside.tokens_per_s


def test_an_efficiency_nobody_measured_is_called_assumed() -> None:
    assert not pace("llama-3.1-8b", "lora", A100).efficiency_is_assumed
    assert pace("llama-3.1-8b", "lora", "V100-SXM2-32GB").efficiency_is_assumed
