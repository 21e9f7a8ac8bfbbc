"""A config.json by its own fields: the same architecture as the registry's, or one sentence."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.data_files import read_rows
from planner.errors import BadInput
from planner.memory.estimate import estimate
from planner.models import registry
from planner.models.architecture import Architecture
from planner.models.config import architecture_from_config
from planner.models.params import formula_covers, total_params
from planner.query import Training

#: Public config.json files by their sizes, with the parameters that the models are known to have.
LLAMA_31_8B = {
    "model_type": "llama", "vocab_size": 128256, "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "max_position_embeddings": 131072, "tie_word_embeddings": False, "attention_bias": False,
}  # fmt: skip
QWEN3_06B = {
    "model_type": "qwen3", "vocab_size": 151936, "hidden_size": 1024, "intermediate_size": 3072,
    "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128,
    "max_position_embeddings": 40960, "tie_word_embeddings": True, "sliding_window": 4096,
    "use_sliding_window": False,
}  # fmt: skip
MIXTRAL = {
    "model_type": "mixtral", "vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "num_local_experts": 8, "num_experts_per_tok": 2, "tie_word_embeddings": False,
}  # fmt: skip
PYTHIA_28B = {
    "model_type": "gpt_neox", "vocab_size": 50304, "hidden_size": 2560, "intermediate_size": 10240,
    "num_hidden_layers": 32, "num_attention_heads": 32, "max_position_embeddings": 2048,
    "tie_word_embeddings": False, "attention_bias": True,
}  # fmt: skip
KNOWN = [
    (LLAMA_31_8B, 8_030_261_248),
    (QWEN3_06B, 596_049_920),
    (MIXTRAL, 46_702_792_704),
    (PYTHIA_28B, 2_775_208_960),
]


@pytest.mark.parametrize(("config", "params"), KNOWN, ids=lambda one: str(one)[:24])
def test_known_configs_have_the_known_parameters(config: dict[str, Any], params: int) -> None:
    found = architecture_from_config(config, "someone/something")
    assert found.architecture.params_total == pytest.approx(params, rel=2e-4)
    assert found.notes == ()


def test_only_the_chosen_experts_are_active() -> None:
    found = architecture_from_config(MIXTRAL, "x").architecture
    assert found.params_active == pytest.approx(12_879_925_248, rel=1e-3)


def _types() -> Iterator[tuple[str, dict[str, str]]]:
    yield from ((row["model_type"], row) for row in read_rows("planner.models", "model_types.csv"))


def _config_of(row: Architecture, model_type: str) -> dict[str, Any]:
    """The row as the config its sizes would stand in."""
    fields = {
        r["field"]: r["keys"].split(";")[0]
        for r in read_rows("planner.models", "config_fields.csv")
    }
    config: dict[str, Any] = {
        "model_type": model_type,
        "tie_word_embeddings": row.tied_embeddings,
        "attention_bias": row.qkv_bias,
    }
    sizes = {key: getattr(row, field) for field, key in fields.items()}
    return config | {key: value for key, value in sizes.items() if value is not None}


def _covered() -> Iterator[tuple[Architecture, str]]:
    for hf_id in registry.every_id():
        row = registry.architecture(hf_id)
        gate = "y" if row.gated_mlp else "n"
        kind = next(
            (
                name
                for name, known in _types()
                if (known["family"], known["norm"], known["gated_mlp"])
                == (row.family, row.norm, gate)
            ),
            None,
        )
        if kind is not None and row.arch in ("decoder", "moe") and formula_covers(row):
            yield row, kind


def test_a_config_path_and_a_name_agree() -> None:
    """Every registry row whose family is known to the reader: same counts, same estimate."""
    compared = 0
    for row, kind in _covered():
        read = architecture_from_config(_config_of(row, kind), row.hf_id).architecture
        assert read.params_total == total_params(row), row.hf_id
        assert read.params_active == pytest.approx(row.params_active, rel=0.03), row.hf_id
        training = Training(method="lora", lora_targets="attention", seq_len=1024)
        by_name = estimate(row, training).allocated_gib
        assert estimate(read, training).allocated_gib == pytest.approx(by_name, rel=0.02), row.hf_id
        compared += 1
    assert compared > 120


def test_an_unknown_kind_with_the_usual_fields_is_read_and_says_so() -> None:
    found = architecture_from_config({**LLAMA_31_8B, "model_type": "brandnew"}, "org/new")
    assert found.architecture.params_total == pytest.approx(8_030_261_248, rel=2e-4)
    (said,) = found.notes
    assert said.code == "models.config_unknown_type"
    assert said.values["model_type"] == "brandnew"
    plain = architecture_from_config(
        {**LLAMA_31_8B, "model_type": "brandnew", "hidden_act": "relu"}, "org/new"
    )
    assert plain.architecture.params_total < found.architecture.params_total


def test_counted_parameters_go_before_the_formula() -> None:
    found = architecture_from_config(LLAMA_31_8B, "x", params_total=8_100_000_000)
    assert found.architecture.params_total == 8_100_000_000


def test_a_nested_text_model_is_read() -> None:
    seeing = {
        "model_type": "qwen2_5_vl",
        "text_config": LLAMA_31_8B,
        "vision_config": {"depth": 32},
    }
    found = architecture_from_config(seeing, "org/vl").architecture
    assert (found.hidden, found.layers, found.arch) == (4096, 32, "vlm")


@pytest.mark.parametrize(
    "key", ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"]
)
def test_a_missing_size_is_named(key: str) -> None:
    config = {name: value for name, value in LLAMA_31_8B.items() if name != key}
    with pytest.raises(BadInput) as refusal:
        architecture_from_config(config, "org/x")
    assert refusal.value.note.code == "models.config_incomplete"
    assert refusal.value.note.values["keys"] == (key,)


@pytest.mark.parametrize("value", [-1, 0, 10**12, "4096", [4096], 1.5, {"a": 1}])
def test_an_absurd_size_is_named(value: object) -> None:
    with pytest.raises(BadInput) as refusal:
        architecture_from_config({**LLAMA_31_8B, "hidden_size": value}, "org/x")
    assert refusal.value.note.code == "models.config_bad_size"
    assert refusal.value.note.values["key"] == "hidden_size"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    st.dictionaries(st.sampled_from([*LLAMA_31_8B, *MIXTRAL, "text_config", "multi_query"]), _JSON)
)
def test_no_config_breaks_the_reader(odd: dict[str, Any]) -> None:
    """Whatever stands in the fields: an architecture that can be estimated, or a refusal."""
    try:
        found = architecture_from_config({**MIXTRAL, **odd}, "org/odd").architecture
        assert estimate(found, Training(method="qlora", seq_len=512)).peak_gib > 0
    except BadInput as refusal:
        assert refusal.note.code.partition(".")[0] in ("models", "memory")
