"""A config.json becomes the architecture that the registry has of the same model."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import BadInput
from planner.memory.estimate import estimate
from planner.models.architecture import Architecture
from planner.models.config import architecture_from_config
from planner.models.params import formula_covers
from planner.models.registry import architecture, every_id
from planner.query import Training

#: config.json files as their owners published them, shortened to what says something on sizes.
PUBLISHED: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "published_configs.json").read_text(encoding="utf-8")
)
#: What decides memory. A context length may be stated under more than one name.
SIZES = (
    "arch", "layers", "hidden", "heads", "kv_heads", "head_dim", "intermediate", "vocab",
    "tied_embeddings", "gated_mlp", "qkv_bias", "norm", "n_experts", "experts_per_token",
    "moe_intermediate", "shared_experts", "first_dense_layers", "moe_layer_step", "attention_kind",
    "sliding_window", "q_lora_rank", "kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim",
    "v_head_dim",
)  # fmt: skip
LLAMA = PUBLISHED["meta-llama/Llama-3.1-8B-Instruct"]


def sizes(of: Architecture) -> dict[str, object]:
    return {name: getattr(of, name) for name in SIZES}


def codes(config: object, params_in_files: int | None = None) -> list[str]:
    read = architecture_from_config(config, "m", params_in_files)
    return [one.code for one in (*read.notes, *read.warnings)]


def refusal(config: object) -> BadInput:
    with pytest.raises(BadInput) as refused:
        architecture_from_config(config, "m")
    return refused.value


# The published files.


@pytest.mark.parametrize("hf_id", PUBLISHED)
def test_a_published_config_has_the_sizes_of_the_registry(hf_id: str) -> None:
    read = architecture_from_config(PUBLISHED[hf_id], hf_id).architecture
    assert sizes(read) == sizes(architecture(hf_id))


@pytest.mark.parametrize("hf_id", PUBLISHED)
def test_a_published_config_counts_the_published_parameters(hf_id: str) -> None:
    row, read = architecture(hf_id), architecture_from_config(PUBLISHED[hf_id], hf_id).architecture
    share = 0.0013 if row.arch in ("decoder", "moe", "encdec") else 0.006
    assert read.params_total == pytest.approx(row.params_total, rel=share)
    assert read.params_active == pytest.approx(row.params_active, rel=max(share, 0.002))


@pytest.mark.parametrize("hf_id", PUBLISHED)
@pytest.mark.parametrize("method", ["full", "qlora"])
def test_name_and_config_need_the_same_memory(hf_id: str, method: Any) -> None:
    row = architecture(hf_id)
    in_files = row.params_total if row.arch == "vlm" else None  # a tower's sizes tell it roughly
    read = architecture_from_config(PUBLISHED[hf_id], hf_id, in_files).architecture
    asked = Training(method=method, seq_len=512)
    by_config, by_name = estimate(read, asked), estimate(row, asked)
    assert by_config.peak_gib == pytest.approx(by_name.peak_gib, rel=0.006)
    assert by_config.trainable_params == pytest.approx(by_name.trainable_params, rel=0.006)


# Configs written from the registry's own rows.

#: The registry's family and the model type of its config.json, where the family has just one.
TYPE_OF_FAMILY = {
    "llama": "llama", "codellama": "llama", "tinyllama": "llama", "yi": "llama", "solar": "llama",
    "komodo": "llama", "cendol": "llama", "openllama": "llama", "smollm": "llama",
    "mistral": "mistral", "mixtral": "mixtral", "qwen1.5": "qwen2", "qwen2": "qwen2",
    "qwen2.5": "qwen2", "sailor": "qwen2", "mimo": "mimo", "seed": "seed_oss", "qwen3": "qwen3",
    "gemma": "gemma", "gemma2": "gemma2", "gemma3": "gemma3_text", "pythia": "gpt_neox",
    "gpt-neox": "gpt_neox", "gpt-oss": "gpt_oss", "granite": "granite", "internlm": "internlm2",
    "baichuan": "baichuan", "ernie": "ernie4_5", "olmo2": "olmo2", "olmo3": "olmo3",
    "cohere": "cohere", "apertus": "apertus", "minimax": "minimax_m2", "powerlm": "granite",
    "kimi": "kimi_k2",
}  # fmt: skip
TYPE_OF_MIXTURE = {
    "qwen1.5": "qwen2_moe", "qwen2": "qwen2_moe", "qwen3": "qwen3_moe", "granite": "granitemoe",
    "ernie": "ernie4_5_moe",
}  # fmt: skip


def model_type_of(row: Architecture) -> str | None:
    if row.family == "cohere" and row.attention_kind == "sliding":
        return "cohere2"
    if row.n_experts and row.family in TYPE_OF_MIXTURE:
        return TYPE_OF_MIXTURE[row.family]
    if row.family == "internlm" and "internlm3" in row.hf_id:
        return "internlm3"
    return TYPE_OF_FAMILY.get(row.family)


def config_of(row: Architecture) -> dict[str, object]:
    """The config.json that the row's sizes would be written as; null where the row has none."""
    return {
        "model_type": model_type_of(row),
        "num_hidden_layers": row.layers,
        "hidden_size": row.hidden,
        "num_attention_heads": row.heads,
        "num_key_value_heads": row.kv_heads,
        "head_dim": row.head_dim,
        "intermediate_size": row.intermediate,
        "vocab_size": row.vocab,
        "max_position_embeddings": row.max_context,
        "tie_word_embeddings": row.tied_embeddings,
        "attention_bias": row.qkv_bias,
        "sliding_window": row.sliding_window,
        "num_experts": row.n_experts,
        "num_experts_per_tok": row.experts_per_token,
        "moe_intermediate_size": row.moe_intermediate,
        "n_shared_experts": row.shared_experts,
        "first_k_dense_replace": row.first_dense_layers,
        "decoder_sparse_step": row.moe_layer_step,
        "q_lora_rank": row.q_lora_rank,
        "kv_lora_rank": row.kv_lora_rank,
        "qk_rope_head_dim": row.qk_rope_head_dim,
        "qk_nope_head_dim": row.qk_nope_head_dim,
        "v_head_dim": row.v_head_dim,
    }


ROWS = [
    hf_id
    for hf_id in every_id()
    if architecture(hf_id).arch in ("decoder", "moe")
    and formula_covers(architecture(hf_id))
    and model_type_of(architecture(hf_id))
]


def test_most_of_the_registry_is_written_as_configs() -> None:
    assert len(ROWS) > 120


@pytest.mark.parametrize("hf_id", ROWS)
def test_a_row_written_as_a_config_reads_as_the_row(hf_id: str) -> None:
    row = architecture(hf_id)
    read = architecture_from_config(config_of(row), hf_id).architecture
    assert sizes(read) == sizes(row)
    assert read.params_total == pytest.approx(row.params_total, rel=0.0013)
    asked = Training(method="qlora", seq_len=2048)
    peaks = [estimate(one, asked).peak_gib for one in (read, row)]
    assert peaks[0] == pytest.approx(peaks[1], rel=0.003)


# What is not known is said.


def test_an_unknown_model_type_is_estimated_and_says_so() -> None:
    read = architecture_from_config(LLAMA | {"model_type": "newcomer"}, "m")
    assert read.architecture.params_total == 8_030_261_248
    assert read.warnings[0].code == "models.unknown_model_type"
    assert read.warnings[0].values["model_type"] == "newcomer"


def test_a_known_model_type_warns_of_nothing() -> None:
    assert architecture_from_config(LLAMA, "m").warnings == ()


@pytest.mark.parametrize(
    ("changed", "name", "value"),
    [
        ({"hidden_act": "gelu_new"}, "gated_mlp", False),
        ({"hidden_act": "swiglu"}, "gated_mlp", True),
        ({"attention_bias": True}, "qkv_bias", True),
        ({"tie_word_embeddings": None}, "tied_embeddings", True),
        ({"is_encoder_decoder": True}, "arch", "encdec"),
        ({"layer_types": ["linear_attention", "full_attention"]}, "arch", "hybrid"),
        ({"num_experts": 8, "num_experts_per_tok": 2}, "arch", "moe"),
    ],
)
def test_the_fields_tell_the_build_of_an_unknown_type(
    changed: dict[str, object], name: str, value: object
) -> None:
    read = architecture_from_config(LLAMA | {"model_type": "newcomer"} | changed, "m")
    assert getattr(read.architecture, name) == value


def test_a_layer_norm_is_told_by_its_epsilon() -> None:
    config = {key: value for key, value in LLAMA.items() if key != "rms_norm_eps"}
    config |= {"model_type": "newcomer", "layer_norm_eps": 1e-5}
    assert architecture_from_config(config, "m").architecture.norm == "layernorm"


def test_a_tower_without_sizes_is_said_not_to_be_counted() -> None:
    read = architecture_from_config({"text_config": LLAMA, "vision_config": {}}, "m")
    assert read.architecture.arch == "vlm"
    assert read.architecture.vision_params is None
    assert [one.code for one in read.warnings] == ["models.vision_not_counted"]


def test_what_the_formula_does_not_know_needs_the_files() -> None:
    config = LLAMA | {"model_type": "bamba"}
    assert refusal(config).note.code == "models.config_not_countable"
    assert architecture_from_config(config, "m", 9_000_000_000).architecture.params_total == 9e9


# The weight files' count.


def test_the_files_decide_the_count() -> None:
    read = architecture_from_config(LLAMA, "m", 8_030_300_000)
    assert read.architecture.params_total == 8_030_300_000
    assert read.notes == read.warnings == ()


def test_files_that_differ_are_believed_and_it_is_said() -> None:
    read = architecture_from_config(LLAMA, "m", 9_000_000_000)
    assert read.architecture.params_total == 9_000_000_000
    assert [one.code for one in read.warnings] == ["models.files_differ"]


@pytest.mark.parametrize("count", [1, 1_000_000, 80_000_000_000])
def test_files_that_cannot_be_this_model_are_not_believed(count: int) -> None:
    read = architecture_from_config(LLAMA, "m", count)
    assert read.architecture.params_total == 8_030_261_248
    assert [one.code for one in read.warnings] == ["models.files_implausible"]


def test_the_files_tell_the_vision_tower() -> None:
    hf_id = "google/gemma-3-4b-it"
    row = architecture(hf_id)
    read = architecture_from_config(PUBLISHED[hf_id], hf_id, row.params_total).architecture
    assert read.params_total == row.params_total
    assert read.vision_params == pytest.approx(row.vision_params, rel=0.001)


def test_layers_that_no_training_loads_are_not_counted() -> None:
    """DeepSeek-V3's files hold a layer that predicts the token after the next: 685 B, not 671."""
    hf_id = "deepseek-ai/DeepSeek-V3"
    whole = {key: value for key, value in PUBLISHED[hf_id].items() if key != "quantization_config"}
    read = architecture_from_config(whole, hf_id, 684_531_386_000).architecture
    assert read.params_total == pytest.approx(671_026_404_352, rel=1e-6)


@pytest.mark.parametrize(
    ("said", "base_dtype", "code"),
    [
        ({"quant_method": "gptq", "bits": 4}, "gptq-int4", "models.stored_in"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "nf4", "models.stored_in"),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, "int8", "models.stored_in"),
        ({"quant_method": "awq", "bits": 4}, None, "models.stored_as"),
        ({"quant_method": ["?"], "bits": "4"}, None, "models.stored_as"),
    ],
)
def test_quantised_weights_are_named_and_their_files_not_counted(
    said: dict[str, object], base_dtype: str | None, code: str
) -> None:
    read = architecture_from_config(LLAMA | {"quantization_config": said}, "m", 4_500_000_000)
    assert read.implied_base_dtype == base_dtype
    assert read.notes[0].code == code
    assert read.architecture.params_total == 8_030_261_248


# What cannot be.


@pytest.mark.parametrize("config", [None, [], "x", 3, True, [LLAMA]])
def test_only_an_object_is_a_config(config: object) -> None:
    assert refusal(config).note.code == "models.config_not_object"


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("num_hidden_layers", "num_hidden_layers"),
        ("hidden_size", "hidden_size"),
        ("num_attention_heads", "num_attention_heads"),
        ("vocab_size", "padded_vocab_size"),
        ("intermediate_size", "intermediate_size"),
    ],
)
@pytest.mark.parametrize("gone", [None, 0])
def test_a_missing_size_is_named(field: str, said: str, gone: int | None) -> None:
    note = refusal(LLAMA | {field: gone}).note
    assert note.code == "models.config_lacks"
    assert note.values["fields"] == (said,)


@pytest.mark.parametrize(
    "value", [-1, 10_000_001, 10**400, 1.5, "4096", True, [1], {}, math.inf, math.nan]
)
@pytest.mark.parametrize("field", ["hidden_size", "num_key_value_heads", "sliding_window"])
def test_no_size_a_model_can_have_is_named(field: str, value: object) -> None:
    note = refusal(LLAMA | {field: value}).note
    assert note.code == "models.config_bad_size"
    assert note.values["field"] == field


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"num_key_value_heads": 5}, "models.config_heads"),
        ({"num_key_value_heads": 64}, "models.config_heads"),
        ({"num_attention_heads": 8192, "num_key_value_heads": 8}, "models.config_heads"),
        ({"num_experts": 4, "num_experts_per_tok": 5}, "models.config_experts"),
        ({"num_experts": 4}, "models.config_lacks"),
        ({"num_experts": 4, "num_experts_per_tok": 1, "first_k_dense_replace": 33},
         "models.config_dense_layers"),
        ({"kv_lora_rank": 512}, "models.config_lacks"),
    ],
)  # fmt: skip
def test_sizes_that_contradict_each_other_are_refused(
    changed: dict[str, object], code: str
) -> None:
    assert refusal(LLAMA | changed).note.code == code


def test_a_size_written_as_a_float_is_a_size() -> None:
    assert (
        architecture_from_config(LLAMA | {"hidden_size": 4096.0}, "m").architecture.hidden == 4096
    )


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-2, 10_000_000)
    | st.floats()
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=5,
)
FIELDS = sorted({field for config in PUBLISHED.values() for field in config} - {"architectures"})


def answers_or_refuses(config: object, params_in_files: int | None) -> None:
    try:
        read = architecture_from_config(config, "m", params_in_files)
        answer = estimate(read.architecture, Training(method="lora"))
    except BadInput as refused:
        assert refused.note.values or refused.note.code
        return
    assert 0 < answer.peak_gib < math.inf
    assert answer.total_params == read.architecture.params_total > 0


@settings(max_examples=300, deadline=None)
@given(
    hf_id=st.sampled_from(sorted(PUBLISHED)),
    changed=st.dictionaries(st.sampled_from(FIELDS), JSON_VALUES, max_size=4),
    params_in_files=st.none() | st.integers(1, 10**15),
)
def test_hostile_fields_are_answered_or_refused_in_a_sentence(
    hf_id: str, changed: dict[str, object], params_in_files: int | None
) -> None:
    answers_or_refuses(PUBLISHED[hf_id] | changed, params_in_files)


@settings(max_examples=100, deadline=None)
@given(config=JSON_VALUES | st.dictionaries(st.sampled_from(FIELDS), JSON_VALUES, max_size=12))
def test_any_json_is_answered_or_refused_in_a_sentence(config: object) -> None:
    answers_or_refuses(config, None)
