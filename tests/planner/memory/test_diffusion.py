"""Diffusion models: sizes against the published ones, bands against measured runs of peft's image
benchmark (FLUX.2 klein, L40S) and of diffusers' QLoRA recipe (FLUX.1-dev)."""

from collections.abc import Callable
from typing import Any

import pytest

from planner.errors import BadInput
from planner.memory.result import MemoryEstimate
from planner.models.diffusion import denoiser
from planner.models.registry import architecture, every_id, resolve

EstimateOf = Callable[..., MemoryEstimate]
KLEIN = "black-forest-labs/FLUX.2-klein-base-4B"
#: What the benchmark adapts: every linear of the blocks but the single-stream blocks' output.
KLEIN_TARGETS = (
    "add_k_proj,add_q_proj,add_v_proj,linear_in,linear_out,to_add_out,to_k,to_out.0,to_q,"
    "to_qkv_mlp_proj,to_v"
)
MODELS = [hf_id for hf_id in every_id() if architecture(hf_id).arch == "diffusion"]


def _klein(estimate_of: EstimateOf, method: str, **said: Any) -> MemoryEstimate:
    usual = {"stack": "hf-peft", "resolution": 512, "micro_batch": 2, "optimizer": "adamw"}
    return estimate_of(KLEIN, method, gradient_checkpointing="full", **{**usual, **said})


@pytest.mark.parametrize("hf_id", MODELS)
@pytest.mark.parametrize("method", ["full", "lora", "qlora", "dora", "ia3"])
def test_every_model_answers_for_every_method(
    estimate_of: EstimateOf, hf_id: str, method: str
) -> None:
    for precision in ("bf16", "amp", "mixed"):
        if method == "full" and precision == "mixed":
            continue
        for targets in (None, "all-linear"):
            for checkpointing in ("full", "none"):
                found = estimate_of(
                    hf_id,
                    method,
                    precision=precision,
                    gradient_checkpointing=checkpointing,
                    lora_targets=targets,
                )
                assert found.breakdown.logits == 0
                assert found.breakdown.total_gib() == pytest.approx(found.peak_gib)
                assert found.breakdown.activations > 0 or method == "full"


@pytest.mark.parametrize(
    ("method", "said", "measured"),
    [
        ("lora", {"lora_rank": 32, "lora_targets": KLEIN_TARGETS}, 9.973),
        ("lora", {"lora_rank": 64, "lora_targets": KLEIN_TARGETS}, 10.602),
        ("dora", {"lora_rank": 64, "lora_targets": KLEIN_TARGETS}, 12.271),
        ("ia3", {}, 8.928),
        ("full", {"precision": "bf16", "optimizer_states": "param"}, 37.135),
    ],
)
def test_flux2_klein_on_one_card(
    estimate_of: EstimateOf, method: str, said: dict[str, object], measured: float
) -> None:
    found = _klein(estimate_of, method, **said)
    assert found.reserved_gib == pytest.approx(measured, rel=0.10)
    assert found.low_gib <= measured <= found.high_gib
    assert found.evidence == "oracle"


@pytest.mark.parametrize(
    ("method", "rank", "trainable"),
    [("lora", 32, 38_338_560), ("lora", 64, 76_677_120), ("dora", 64, 77_568_000)],
)
def test_adapters_have_the_published_size(
    estimate_of: EstimateOf, method: str, rank: int, trainable: int
) -> None:
    found = _klein(estimate_of, method, lora_rank=rank, lora_targets=KLEIN_TARGETS)
    assert found.trainable_params == trainable
    assert found.total_params == 3_875_544_576


def test_flux_dev_in_nf4_took_nine_gigabytes(estimate_of: EstimateOf) -> None:
    """diff-004: rank 4 on the attention of both streams' picture side, 4,669,440 parameters."""
    found = estimate_of(
        "black-forest-labs/FLUX.1-dev", "qlora", double_quant=False, lora_rank=4, resolution=627,
        lora_targets="to_k,to_q,to_v,to_out.0", optimizer="adamw-8bit",
    )  # fmt: skip
    assert found.trainable_params == 4_669_440
    assert 7.9 <= found.device_gib <= 9.9


@pytest.mark.parametrize(
    ("model", "resolution", "tokens"),
    [
        ("flux-dev", 1024, 64 * 64 + 512),
        ("flux-dev", 512, 32 * 32 + 512),
        ("sd1.5", 512, 64 * 64),
        ("sdxl", 1024, 128 * 128),
        ("wan2.1-14b", 480, 30 * 30 * 21),
    ],
)
def test_a_picture_in_tokens(model: str, resolution: int, tokens: int) -> None:
    assert denoiser(resolve(model).architecture).tokens(resolution) == tokens


@pytest.mark.parametrize("model", ["flux-dev", "sdxl", "sd1.5", "sd3.5-medium", "pixart"])
@pytest.mark.parametrize("method", ["lora", "full"])
def test_more_pixels_and_pictures_need_more(
    estimate_of: EstimateOf, model: str, method: str
) -> None:
    said = {"gradient_checkpointing": "none", "sharding": None}
    sides = [
        estimate_of(model, method, resolution=side, **said).breakdown.activations
        for side in (256, 512, 1024, 1536)
    ]
    assert sides == sorted(set(sides))
    batches = [
        estimate_of(model, method, micro_batch=size, **said).breakdown.activations
        for size in (1, 2, 4)
    ]
    assert batches[1] > 1.5 * batches[0]
    assert batches == sorted(batches)


def test_checkpointing_and_freezing_save(estimate_of: EstimateOf) -> None:
    kept = estimate_of("flux-dev", "lora", gradient_checkpointing="none").peak_gib
    rebuilt = estimate_of("flux-dev", "lora", gradient_checkpointing="full").peak_gib
    quantised = estimate_of("flux-dev", "qlora", gradient_checkpointing="full").peak_gib
    full = estimate_of("flux-dev", "full", gradient_checkpointing="full").peak_gib
    assert quantised < rebuilt < kept < full


def test_flux_is_split_over_gpus(estimate_of: EstimateOf) -> None:
    alone = estimate_of("flux-dev", "full")
    eight = estimate_of("flux-dev", "full", gpus=8, sharding="fsdp")
    assert eight.breakdown.weights == pytest.approx(alone.breakdown.weights / 8)
    assert eight.evidence == "formula"


def test_what_was_assumed_is_named(estimate_of: EstimateOf) -> None:
    found = estimate_of("flux-dev", "lora", seq_len=4096)
    notes = {one.code: one.values for one in found.assumptions}
    assert "resolution=1024" in notes["memory.assumed_settings"]["settings"]
    # CLIP-L, T5-XXL and the VAE in 16 bits
    assert notes["memory.assumed_encoders_elsewhere"]["others_gib"] == pytest.approx(9.26, abs=0.01)
    assert notes["memory.diffusion_seq_len"]["seq_len"] == 4096
    assert found.peak_gib == estimate_of("flux-dev", "lora").peak_gib


@pytest.mark.parametrize(
    ("method", "said", "code"),
    [
        ("prefix", {}, "diffusion_method"),
        ("adapter", {}, "diffusion_method"),
        ("lora", {"loss": "standard"}, "diffusion_loss"),
        ("lora", {"attention": "eager"}, "diffusion_attention"),
        ("lora", {"train_embeddings": True}, "diffusion_embeddings"),
        ("qlora", {"base_dtype": "gptq-int4"}, "diffusion_dtype"),
        ("lora", {"lora_targets": "to_q,gate_proj"}, "unknown_target"),
        ("full", {"base_dtype": "nf4"}, "full_needs_floats"),
        ("lora", {"tensor_parallel": 2}, "parallelism_unsupported"),
    ],
)
def test_what_makes_no_sense_is_refused(
    estimate_of: EstimateOf, method: str, said: dict[str, object], code: str
) -> None:
    with pytest.raises(BadInput) as refused:
        estimate_of("flux-dev", method, **said)
    assert refused.value.note.code == f"memory.{code}"


def test_short_target_names_work_as_for_language_models(estimate_of: EstimateOf) -> None:
    short = estimate_of("flux-dev", "lora", lora_targets="q,k,v,o")
    long = estimate_of("flux-dev", "lora", lora_targets="to_q,to_k,to_v,to_out.0")
    assert short.trainable_params == long.trainable_params
