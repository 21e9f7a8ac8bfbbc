"""A Hugging Face config.json as an architecture, by its own fields.

data/config_fields.csv lists under which keys each size stands, data/model_types.csv what the
modelling code of each `model_type` does that no field says.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from planner.data_files import read_rows
from planner.errors import BadInput
from planner.models.architecture import Arch, Architecture, AttentionKind
from planner.models.params import formula_covers, total_params
from planner.models.registry import Resolved
from planner.notes import Note, note

#: Larger sizes than any model has; a config beyond them is not one.
_LARGEST = {"vocab": 10_000_000, "layers": 10_000, "heads": 100_000, "n_experts": 100_000}
_LARGEST_SIZE = 10_000_000
_NEEDED = ("hidden", "layers", "heads", "vocab")
#: An MLP of a plain transformer where the config names no width.
_MLP_PER_HIDDEN = 4
_GATED_ACTIVATIONS = ("silu", "swish", "swiglu", "geglu")


def architecture_from_config(
    config: Mapping[str, Any], name: str, params_total: int | None = None
) -> Resolved:
    """The architecture that `config` describes, and what had to be assumed to read it.

    `params_total` are the stored parameters where somebody counted them (safetensors); else the
    formula counts. An unknown `model_type` with the usual fields is read as a Llama-like decoder
    and a note says so. Raises BadInput for what is missing, malformed or absurd.
    """
    kind = config.get("model_type")
    text = _text_part(config)
    row = _model_types().get(str(kind)) or _model_types().get(str(text.get("model_type")))
    sizes = {field: _size(text, field, name) for field in _fields()}
    missing = [_fields()[field][0] for field in _NEEDED if sizes[field] is None]
    if missing:
        raise BadInput("models.config_incomplete", name=name, keys=tuple(missing))
    known = row or _like_llama(text)
    if text.get("use_sliding_window") is False:
        sizes["sliding_window"] = None
    found = _architecture(config, text, known, sizes, name)
    total = params_total or total_params(found)
    notes: list[Note] = []
    if row is None:
        notes.append(note("models.config_unknown_type", name=name, model_type=str(kind or "")))
    if params_total is None and not formula_covers(found):
        notes.append(note("models.config_rough_count", name=name))
    active = min(_active(found, total), total)
    return Resolved(
        found.model_copy(update={"params_total": total, "params_active": active}), tuple(notes)
    )


def _architecture(
    config: Mapping[str, Any],
    text: Mapping[str, Any],
    row: Mapping[str, str],
    sizes: Mapping[str, int | None],
    name: str,
) -> Architecture:
    heads, hidden = sizes["heads"] or 1, sizes["hidden"] or 1
    kv_heads = _kv_heads(text, sizes)
    experts = sizes["n_experts"] if (sizes["n_experts"] or 0) > 1 else None
    arch = cast(Arch, row["arch"])
    if arch in ("decoder", "moe"):
        arch = "moe" if experts else "decoder"
    tied = config.get("tie_word_embeddings", text.get("tie_word_embeddings"))
    bias = text.get("attention_bias", text.get("qkv_bias"))
    return Architecture(
        hf_id=name,
        family=row["family"],
        display_name=name.rsplit("/", 1)[-1],
        aliases=(),
        arch=arch,
        params_total=0,
        params_active=0,
        layers=sizes["layers"],
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=sizes["head_dim"] or max(1, hidden // heads),
        intermediate=sizes["intermediate"] or _MLP_PER_HIDDEN * hidden,
        vocab=sizes["vocab"],
        tied_embeddings=tied if isinstance(tied, bool) else row["tied_embeddings"] == "y",
        gated_mlp=row["gated_mlp"] == "y",
        qkv_bias=bias if isinstance(bias, bool) else row["qkv_bias"] == "y",
        norm=row["norm"] or None,
        n_experts=experts,
        experts_per_token=_at_most(sizes["experts_per_token"] or 1, experts) if experts else None,
        moe_intermediate=sizes["moe_intermediate"] if experts else None,
        shared_experts=_shared_experts(text, sizes) if experts else None,
        first_dense_layers=_at_most(sizes["first_dense_layers"], sizes["layers"]),
        moe_layer_step=sizes["moe_layer_step"] or 1 if experts else None,
        attention_kind=_attention_kind(sizes, heads, kv_heads),
        sliding_window=sizes["sliding_window"],
        max_context=sizes["max_context"],
        q_lora_rank=sizes["q_lora_rank"],
        kv_lora_rank=sizes["kv_lora_rank"],
        qk_rope_head_dim=sizes["qk_rope_head_dim"],
        qk_nope_head_dim=sizes["qk_nope_head_dim"],
        v_head_dim=sizes["v_head_dim"],
        vision_params=None,
        position=row["position"] or None,
        released=None,
        source="config.json",
        confidence="B",
    )


def _text_part(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The language model's fields: nested in models that also see."""
    for key in ("text_config", "language_config", "llm_config"):
        nested = config.get(key)
        if isinstance(nested, Mapping):
            return nested
    return config


def _size(config: Mapping[str, Any], field: str, name: str) -> int | None:
    """The whole number under the first of the field's keys that the config has; None without."""
    for key in _fields()[field]:
        value = config.get(key)
        if value is None or isinstance(value, bool):
            continue
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        largest = _LARGEST.get(field, _LARGEST_SIZE)
        least = 1 if field in _NEEDED else 0
        if not isinstance(value, int) or not least <= value <= largest:
            raise BadInput("models.config_bad_size", name=name, key=key, value=str(value)[:40])
        return value or None
    return None


def _kv_heads(config: Mapping[str, Any], sizes: Mapping[str, int | None]) -> int | None:
    """Key and value heads: one where the config says multi-query (falcon, gpt_bigcode)."""
    if config.get("multi_query") is True and not config.get("new_decoder_architecture"):
        return 1
    return _at_most(sizes["kv_heads"], sizes["heads"]) or sizes["heads"]


def _shared_experts(config: Mapping[str, Any], sizes: Mapping[str, int | None]) -> int | None:
    """Shared experts, counted in the width of a routed one (Qwen2-MoE gives the width instead)."""
    width = config.get("shared_expert_intermediate_size")
    if isinstance(width, int) and sizes["moe_intermediate"]:
        return width // sizes["moe_intermediate"] or None
    return sizes["shared_experts"]


def _attention_kind(
    sizes: Mapping[str, int | None], heads: int, kv_heads: int | None
) -> AttentionKind:
    if sizes["kv_lora_rank"] and sizes["qk_nope_head_dim"]:
        return "mla"
    if sizes["sliding_window"]:
        return "sliding"
    if kv_heads == heads:
        return "mha"
    return "mqa" if kv_heads == 1 else "gqa"


def _at_most(value: int | None, limit: int | None) -> int | None:
    return value if value is None or limit is None else min(value, limit)


def _active(architecture: Architecture, total: int) -> int:
    """Parameters one token passes through: all but the experts it is not routed to."""
    if not architecture.n_experts:
        return total
    chosen = architecture.model_copy(update={"n_experts": architecture.experts_per_token})
    return total - (total_params(architecture) - total_params(chosen))


def _like_llama(config: Mapping[str, Any]) -> Mapping[str, str]:
    """What an unknown kind of model is taken for: a Llama, without a gate where its activation
    says so.
    """
    activation = str(config.get("hidden_act") or config.get("activation_function") or "silu")
    gated = any(one in activation.lower() for one in _GATED_ACTIVATIONS)
    return {**_model_types()["llama"], "family": "unknown", "gated_mlp": "y" if gated else "n"}


@cache
def _fields() -> dict[str, tuple[str, ...]]:
    rows = read_rows("planner.models", "config_fields.csv")
    return {row["field"]: tuple(row["keys"].split(";")) for row in rows}


@cache
def _model_types() -> dict[str, dict[str, str]]:
    return {row["model_type"]: row for row in read_rows("planner.models", "model_types.csv")}
