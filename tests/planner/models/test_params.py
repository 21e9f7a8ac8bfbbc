"""Parameter counts recomputed from a row's fields agree with the published ones."""

import pytest

from planner.errors import BadInput
from planner.models import params
from planner.models.lora import adapted_linears, native_linears
from planner.models.registry import architecture, every_id, resolve

#: Rows of text models whose layers the columns cannot describe, with the reason the registry gives.
NOT_COVERED = {
    "deepseek-ai/DeepSeek-V4-Flash": "grouped output projections",
    "deepseek-ai/DeepSeek-V4-Pro": "compressed attention",
    "nvidia/Llama-3_3-Nemotron-Super-49B-v1": "every layer has its own width",
}
TEXT_ROWS = [hf_id for hf_id in every_id() if architecture(hf_id).arch in ("decoder", "moe")]


def lora_size(name: str, targets: str, rank: int) -> int:
    linears = adapted_linears(resolve(name).architecture, targets)
    return sum(rank * (one.in_features + one.out_features) * one.count for one in linears)


@pytest.mark.parametrize("hf_id", [hf_id for hf_id in TEXT_ROWS if hf_id not in NOT_COVERED])
def test_the_recomputed_count_agrees(hf_id: str) -> None:
    row = architecture(hf_id)
    assert params.formula_covers(row)
    assert params.total_params(row) == pytest.approx(row.params_total, rel=0.0013)


@pytest.mark.parametrize("hf_id", NOT_COVERED)
def test_a_row_beyond_the_formula_says_so(hf_id: str) -> None:
    assert not params.formula_covers(architecture(hf_id))


def test_the_sizes_nobody_knows_are_refused_not_guessed() -> None:
    with pytest.raises(BadInput) as refused:
        params.layer_linears(architecture("nvidia/Llama-3_3-Nemotron-Super-49B-v1"))
    assert refused.value.note.code == "models.sizes_unknown"


def test_llama_3_1_8b_by_hand() -> None:
    row = resolve("llama-3.1-8b").architecture
    by_name = {linear.name: linear for linear in params.layer_linears(row)}
    assert (by_name["q_proj"].in_features, by_name["q_proj"].out_features) == (4096, 4096)
    assert (by_name["k_proj"].in_features, by_name["k_proj"].out_features) == (4096, 1024)
    assert (by_name["down_proj"].in_features, by_name["down_proj"].out_features) == (14336, 4096)
    assert all(linear.count == 32 for linear in by_name.values())
    assert params.embedding_params(row) == params.head_params(row) == 128256 * 4096
    assert params.norm_params(row) == 65 * 4096
    assert params.total_params(row) == 8_030_261_248


def test_a_tied_head_is_not_counted_twice() -> None:
    assert params.head_params(resolve("llama-3.2-1b").architecture) == 0


def test_experts_are_counted_each_and_dense_layers_apart() -> None:
    """DeepSeek-V3: 61 layers, 3 of them dense, 256 experts and one shared in the rest."""
    row = resolve("deepseek-v3").architecture
    assert params.moe_layers(row) == 58
    ups = sorted(one.count for one in params.layer_linears(row) if one.name == "up_proj")
    assert ups == [3, 58, 58 * 256]


def test_the_layers_hold_what_is_not_outside_them() -> None:
    row = resolve("llama-3.1-8b").architecture
    linears = sum(linear.params for linear in params.layer_linears(row))
    assert params.layer_params(row) == linears + params.norm_params(row)


@pytest.mark.parametrize(
    ("model", "targets", "rank", "published"),
    [
        # printed by peft in the runs named beside each
        ("meta-llama/Llama-2-7b-hf", "q_proj,v_proj", 8, 4_194_304),  # litgpt
        ("meta-llama/Llama-3.2-3B", "q_proj,v_proj", 32, 9_175_040),  # peft method comparison
        ("meta-llama/Llama-3.2-3B", "q,v", 64, 18_350_080),  # peft method comparison
        ("stabilityai/stablelm-base-alpha-3b", "query,value", 8, 2_097_152),  # litgpt
        ("Qwen/Qwen-7B-Chat", "c_attn", 64, 33_554_432),  # ms-swift: 33.55 M
        ("Qwen/Qwen-7B-Chat", "c_attn,c_proj,w1,w2", 8, 17_891_328),  # ms-swift: 17.8913 M
        ("Qwen/Qwen-7B-Chat", "all-linear", 8, 17_891_328),  # ms-swift: 17.8913 M
        ("llama-3.1-8b", "all-linear", 16, 41_943_040),  # unsloth notebooks
        ("llama-3.1-8b", "q,k,v,o,gate,up,down", 16, 41_943_040),
    ],
)
def test_lora_sizes_are_those_that_peft_prints(
    model: str, targets: str, rank: int, published: int
) -> None:
    assert lora_size(model, targets, rank) == published


def test_a_fused_projection_is_one_linear() -> None:
    names = [linear.name for linear in native_linears(resolve("Qwen/Qwen-7B").architecture)]
    assert names.count("c_attn") == 1
    assert "q_proj" not in names


def test_attention_alone_leaves_the_mlp_out() -> None:
    row = resolve("llama-3.1-8b").architecture
    names = [linear.name for linear in adapted_linears(row, "attention")]
    assert names == ["q_proj", "k_proj", "v_proj", "o_proj"]


def test_an_unknown_module_name_means_nothing() -> None:
    assert params.canonical_linear("qproj_x") == ()
    assert params.canonical_linear("C_ATTN") == ("q_proj", "k_proj", "v_proj")


def test_every_typed_module_name_means_known_linears() -> None:
    for typed in ("c_proj", "mlp", "dense_h_to_4h", "Wqkv", "self_attn", "o"):
        assert set(params.canonical_linear(typed)) <= set(params.LINEAR_NAMES)
        assert params.canonical_linear(typed)
