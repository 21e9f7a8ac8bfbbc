"""What each method trains, against counts that peft and litgpt print.

The peft figures were made with peft 0.21 and transformers 5.24 on models without storage (the meta
device): get_peft_model with 20 virtual tokens, rank 16, "all-linear" and IA3's own targets.
"""

from collections.abc import Callable

import pytest

from planner.memory.result import MemoryEstimate
from planner.models.registry import resolve

GIB = 2**30
EstimateOf = Callable[..., MemoryEstimate]

PEFT = [
    (
        "meta-llama/Llama-3.2-1B",
        "prefix 327680, prompt 40960, ia3 147456, lora 11272192, dora 11649024",
    ),
    (
        "meta-llama/Llama-3.1-8B",
        "prefix 1310720, prompt 81920, ia3 524288, lora 41943040, dora 43319296",
    ),
    ("Qwen/Qwen2.5-7B", "prefix 573440, prompt 71680, ia3 645120, lora 40370176, dora 41760768"),
    ("Qwen/Qwen3-0.6B", "prefix 1146880, prompt 20480, ia3 172032, lora 10092544, dora 10436608"),
    ("gpt2", "prefix 368640, prompt 15360, ia3 64512, lora 2359296, dora 2442240"),
    (
        "EleutherAI/pythia-1b",
        "prefix 1310720, prompt 40960, ia3 229376, lora 8388608, dora 8683520",
    ),
    ("facebook/opt-1.3b", "prefix 1966080, prompt 40960, ia3 294912, lora 14155776, dora 14598144"),
    ("google/gemma-2-9b", "prefix 3440640, prompt 71680, ia3 860160, lora 54018048, dora 55867392"),
    ("google/gemma-3-270m", "prefix 184320, prompt 12800, ia3 59904, lora 3796992, dora 3921408"),
    (
        "mistralai/Mixtral-8x7B-Instruct-v0.1",
        "prefix 1310720, prompt 81920, ia3 65536, lora 359665664",
    ),
    ("Qwen/Qwen3-30B-A3B", "prefix 983040, prompt 40960, lora 996507648"),
    ("google/flan-t5-xl", "prefix 1966080, prompt 81920, ia3 540672, lora 35389440, dora 36569088"),
    ("facebook/bart-large", "prefix 491520, prompt 40960, ia3 172032, lora 8650752, dora 8921088"),
    ("google-bert/bert-base-uncased", "prefix 368640, prompt 15360, ia3 64512"),
    ("FacebookAI/roberta-large", "prefix 983040, prompt 20480, ia3 172032"),
    (
        "bigscience/bloom-7b1",
        "prefix 4915200, prompt 81920, ia3 860160, lora 31457280, dora 32563200",
    ),
    ("deepseek-ai/DeepSeek-V2-Lite", "lora 358994944"),
    ("openai/gpt-oss-20b", "lora 7962624"),
    ("microsoft/Phi-3-mini-4k-instruct", "lora 25165824"),
    ("google/mt5-base", "lora 6782976, ia3 104448, prefix 368640"),
]


@pytest.mark.parametrize(("model", "counts"), PEFT)
def test_as_many_parameters_are_trained_as_peft_trains(
    estimate_of: EstimateOf, model: str, counts: str
) -> None:
    for pair in counts.split(", "):
        method, trained = pair.split()
        said = {"lora_targets": "all-linear"} if method in ("lora", "dora") else {}
        assert estimate_of(model, method, **said).trainable_params == int(trained), method


@pytest.mark.parametrize(
    ("stack", "model", "method", "printed"),
    [
        ("litgpt", "meta-llama/Llama-2-7b-hf", "adapter", 1_229_760),
        ("litgpt", "meta-llama/Llama-2-7b-hf", "adapter_v2", 4_279_744),
        ("litgpt", "stabilityai/stablelm-base-alpha-3b", "adapter", 573_888),
        ("litgpt", "stabilityai/stablelm-base-alpha-3b", "adapter_v2", 2_125_248),
        ("ms-swift", "Qwen/Qwen-7B-Chat", "adapter", 33_689_600),  # a bottleneck, not prompts
    ],
)
def test_adapters_are_what_the_stack_calls_so(
    estimate_of: EstimateOf, stack: str, model: str, method: str, printed: int
) -> None:
    assert estimate_of(model, method, stack=stack).trainable_params == printed


def test_ia3_scales_what_is_named(estimate_of: EstimateOf) -> None:
    """peft's method comparison printed 630,784 with every linear of the attention and the MLP."""
    every = "q_proj,k_proj,v_proj,o_proj,gate_proj,up_proj,down_proj"
    found = estimate_of("llama-3.2-3b", "ia3", lora_targets=every)
    assert found.trainable_params == 630_784


def test_embeddings_that_are_trained_are_counted_and_saved(estimate_of: EstimateOf) -> None:
    """D028: 168.5 M trained of 436.6 M in all; the embeddings alone are 167.8 M."""
    said = {"lora_targets": "q_proj,v_proj", "lora_rank": 16}
    plain = estimate_of("gemma-3-270m", "lora", **said)
    found = estimate_of("gemma-3-270m", "lora", train_embeddings=True, **said)
    assert found.trainable_params == pytest.approx(168.5e6, rel=1e-3)
    assert found.trainable_params - plain.trainable_params == 262_144 * 640
    assert found.total_params + found.trainable_params == pytest.approx(436.6e6, rel=1e-3)


def test_an_adapter_nearly_as_large_as_the_model_is_said(estimate_of: EstimateOf) -> None:
    """D029: rank 256 with embeddings and head is over a quarter of the model's 16-bit size."""
    said = {"lora_rank": 256, "train_embeddings": True}
    codes = [one.code for one in estimate_of("llama-3.1-8b", "lora", **said).warnings]
    assert "memory.adapter_is_large" in codes
    plain = [one.code for one in estimate_of("llama-3.1-8b", "lora").warnings]
    assert "memory.adapter_is_large" not in plain


def test_dora_adds_one_magnitude_an_output(estimate_of: EstimateOf) -> None:
    lora, dora = (
        estimate_of("llama-3.2-3b", method, lora_targets="q,v") for method in ("lora", "dora")
    )
    assert dora.trainable_params - lora.trainable_params == 28 * (3072 + 1024)


@pytest.mark.parametrize(
    ("model", "said", "published"),
    [
        # gpt-oss model card: checkpoint size
        ("gpt-oss-120b", {"base_dtype": "mxfp4", "stack": "unsloth"}, 60.8 * GIB),
        ("gpt-oss-20b", {"base_dtype": "mxfp4", "stack": "unsloth"}, 12.8 * GIB),
        # model.safetensors of unsloth/llama-3-8b-bnb-4bit, as its download prints
        ("llama-3-8b", {"base_dtype": "nf4", "kbit_preparation": False}, 5.70e9),
        # gptq-4bit-128g-actorder_True of Llama-2-70B copies
        ("llama-2-70b", {"base_dtype": "gptq-int4"}, 36.65e9),
    ],
)
def test_quantised_weights_take_what_their_checkpoints_do(
    estimate_of: EstimateOf, model: str, said: dict[str, object], published: float
) -> None:
    found = estimate_of(model, "qlora", **said)
    assert found.breakdown.weights * GIB == pytest.approx(published, rel=2e-3)


def test_4_bit_experts_of_their_own_are_taken_where_the_stack_trains_on_them(
    estimate_of: EstimateOf,
) -> None:
    """H11: unsloth states 65 GB for gpt-oss-120b: its published weights, all 117 B of them."""
    found = estimate_of("gpt-oss-120b", "qlora", stack="unsloth")
    assert found.breakdown.weights * GIB == pytest.approx(65e9, rel=0.01)
    assert found.low_gib > 48
    assert found.device_gib < 79.2
    dequantised = estimate_of("gpt-oss-120b", "lora")
    assert dequantised.breakdown.weights * GIB == pytest.approx(2 * 116.83e9, rel=0.01)


@pytest.mark.parametrize(
    ("stack", "said", "told"),
    [
        ("hf-trl", {}, True),
        ("hf-trl", {"stack_version": "transformers 4.45.2"}, False),
        ("hf-trl", {"base_dtype": "gptq-int4"}, False),  # quantised before, experts included
        ("unsloth", {}, False),
    ],
)
def test_who_quantises_stacked_experts_is_said(
    estimate_of: EstimateOf, stack: str, said: dict[str, object], told: bool
) -> None:
    """bitsandbytes replaces linears; transformers 5 keeps a layer's experts as one parameter."""
    found = estimate_of("qwen3-30b-a3b", "qlora", stack=stack, **said)
    codes = [one.code for one in found.assumptions]
    assert ("memory.assumed_experts_quantised" in codes) == told


def test_gptq_bases_keep_16_bit_embeddings(estimate_of: EstimateOf) -> None:
    """peft's k-bit preparation casts the rest to fp32 around bitsandbytes' weights alone."""
    architecture = resolve("llama-3.1-8b").architecture
    outside = 2 * (architecture.vocab or 0) * (architecture.hidden or 0)
    prepared = estimate_of("llama-3.1-8b", "qlora", base_dtype="int8").breakdown.weights
    plain = estimate_of("llama-3.1-8b", "qlora", base_dtype="gptq-int8").breakdown.weights
    linears = 6_979_321_856 * (1 - (1 + 3 / 128))
    assert (prepared - plain) * GIB == pytest.approx(2 * outside + linears, rel=1e-3)


@pytest.mark.parametrize("key", ["optimizer_in_backward", "activation_offload"])
def test_what_is_no_option_of_the_stack_is_said(estimate_of: EstimateOf, key: str) -> None:
    said = {key: True}
    own = [
        one.code for one in estimate_of("llama-3.1-8b", "full", stack="torchtune", **said).warnings
    ]
    other = estimate_of("llama-3.1-8b", "full", stack="hf-trainer", **said).warnings
    assert "memory.no_option_of_stack" not in own
    assert [one.values["key"] for one in other if one.code == "memory.no_option_of_stack"] == [key]


def test_a_window_never_makes_eager_scores_vanish(estimate_of: EstimateOf) -> None:
    """D010: layers with a sliding window keep scores too: never less than min(window, length)
    columns for each of them."""
    said = {"seq_len": 16384, "gradient_checkpointing": "none", "loss": "fused_linear"}
    eager, flash = (
        estimate_of("gemma-3-27b", "lora", attention=how, **said) for how in ("eager", "flash")
    )
    row = resolve("gemma-3-27b").architecture
    least = 6 * (row.heads or 0) * (row.sliding_window or 0) * 16384 * (row.layers or 0)
    assert row.sliding_window and row.sliding_window < 16384
    assert (eager.breakdown.activations - flash.breakdown.activations) * GIB >= least


def test_the_peak_not_the_steady_state_is_told_and_what_may_exceed_it(
    estimate_of: EstimateOf,
) -> None:
    """D040: a run dies at its longest batch, not at its first steps."""
    found = estimate_of("llama-3.1-8b", "lora", packing=False, seq_len=4096)
    assert found.peak_gib > found.static_gib
    said = {one.code: one.values for one in found.assumptions}
    assert said["memory.assumed_longest_batch"] == {"seq_len": 4096}
    packed = estimate_of("llama-3.1-8b", "lora", packing=True, seq_len=4096)
    assert "memory.assumed_longest_batch" not in {one.code for one in packed.assumptions}


@pytest.mark.parametrize(
    ("model", "code"),
    [
        ("mixtral-8x7b", "memory.assumed_experts_frozen"),
        ("gpt-oss-20b", "memory.assumed_experts_out_of_reach"),
    ],
)
def test_whether_adapters_could_reach_the_experts_is_said(
    estimate_of: EstimateOf, model: str, code: str
) -> None:
    codes = [one.code for one in estimate_of(model, "lora").assumptions]
    assert [one for one in codes if one.startswith("memory.assumed_experts")] == [code]
