"""Parameters of an architecture, recomputed from its fields: linears, embeddings, head and norms.

Module names are those of the Llama family. The counts are exact where `formula_covers` says so;
else they are those of an ordinary transformer of the same sizes.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows
from planner.errors import BadInput
from planner.models.architecture import Architecture

#: The linears of a layer that LoRA and quantisation reach, by the names of the Llama and DeepSeek
#: families. A mixture's shared experts carry the same names; its router is not among them.
LINEAR_NAMES = (
    "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj",
    "q_a_proj", "q_b_proj", "kv_a_proj_with_mqa", "kv_b_proj",
)  # fmt: skip

#: Marks rows of models.csv whose layers no formula over the columns can describe.
NOT_COVERED = "formula:n/a"


@dataclass(frozen=True, slots=True)
class Linear:
    """A weight matrix, `count_per_layer` times (experts) in each of `layers` layers."""

    name: str
    in_features: int
    out_features: int
    count_per_layer: int
    layers: int
    has_bias: bool = False

    @property
    def count(self) -> int:
        """How many of it the whole model has."""
        return self.count_per_layer * self.layers

    @property
    def params(self) -> int:
        """Weights and biases of all repetitions."""
        one = self.in_features * self.out_features + (self.out_features if self.has_bias else 0)
        return one * self.count


class _Sizes(NamedTuple):
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocab: int


def canonical_linear(typed: str) -> tuple[str, ...]:
    """The canonical names of a typed module name, a short form included; empty where unknown."""
    return _names().get(typed.strip().lower(), ())


def layer_linears(architecture: Architecture) -> tuple[Linear, ...]:
    """Every linear of the transformer layers (not embeddings, head, vision tower)."""
    sizes = _sizes(architecture)
    attention = (
        _latent_attention(architecture, sizes)
        if architecture.attention_kind == "mla"
        else _attention(architecture, sizes)
    )
    return (*attention, *_feed_forward(architecture, sizes))


def total_params(architecture: Architecture) -> int:
    """All parameters by the formula: layers, embeddings, head, norms and the vision tower."""
    linears = sum(linear.params for linear in layer_linears(architecture))
    parts = (embedding_params, head_params, norm_params)
    return linears + sum(part(architecture) for part in parts) + (architecture.vision_params or 0)


def embedding_params(architecture: Architecture) -> int:
    """Token embeddings, and position embeddings where they are learned."""
    sizes = _sizes(architecture)
    positions = architecture.max_context or 0 if architecture.position == "learned" else 0
    return (sizes.vocab + positions) * sizes.hidden


def head_params(architecture: Architecture) -> int:
    """The output head; 0 where it shares the token embeddings or the model has none."""
    if architecture.tied_embeddings or architecture.arch == "encoder":
        return 0
    sizes = _sizes(architecture)
    return sizes.vocab * sizes.hidden


def norm_params(architecture: Architecture) -> int:
    """The normalisation weights of all layers and the last norm."""
    sizes = _sizes(architecture)
    width = sizes.hidden * (2 if architecture.norm == "layernorm" else 1)
    per_layer = {"encdec": 5, "vlm": 2}.get(architecture.arch, 2)
    if architecture.family.startswith("gemma") and architecture.attention_kind == "sliding":
        per_layer = 4
    latent = (architecture.q_lora_rank or 0) + (architecture.kv_lora_rank or 0)
    return sizes.layers * (per_layer * width + latent) + width


def formula_covers(architecture: Architecture) -> bool:
    """Whether the fields say everything the count needs."""
    return (
        architecture.arch in ("decoder", "moe", "vlm")
        and architecture.attention_kind != "linear-hybrid"
        and NOT_COVERED not in (architecture.remark or "")
    )


def layer_params(architecture: Architecture) -> int:
    """The parameters of the layers: what is left of the known total, right for every family."""
    outside = embedding_params(architecture) + head_params(architecture)
    return architecture.params_total - outside - (architecture.vision_params or 0)


def moe_layers(architecture: Architecture) -> int:
    """How many layers hold experts."""
    sizes = _sizes(architecture)
    if not architecture.n_experts:
        return 0
    dense = architecture.first_dense_layers or 0
    return (sizes.layers - dense) // (architecture.moe_layer_step or 1)


@cache
def _names() -> dict[str, tuple[str, ...]]:
    rows = read_rows("planner.models", "linear_names.csv")
    return {row["typed"]: tuple(row["linears"].split(";")) for row in rows}


def _sizes(architecture: Architecture) -> _Sizes:
    a = architecture
    only_experts = bool(a.n_experts) and not a.first_dense_layers and a.moe_layer_step == 1
    width_is_known = a.intermediate is not None or (only_experts and a.moe_intermediate is not None)
    if None in (a.layers, a.hidden, a.heads, a.vocab) or not width_is_known:
        raise BadInput("models.sizes_unknown", model=a.hf_id)
    heads, hidden = a.heads or 1, a.hidden or 0
    return _Sizes(
        layers=a.layers or 0,
        hidden=hidden,
        heads=heads,
        kv_heads=a.kv_heads or heads,
        head_dim=a.head_dim or hidden // heads,
        intermediate=a.intermediate or 0,
        vocab=a.vocab or 0,
    )


def _attention(architecture: Architecture, sizes: _Sizes) -> tuple[Linear, ...]:
    hidden, bias = sizes.hidden, architecture.qkv_bias
    layers = sizes.layers * (3 if architecture.arch == "encdec" else 1)
    queries = sizes.heads * sizes.head_dim
    keys = sizes.kv_heads * sizes.head_dim
    return (
        Linear("q_proj", hidden, queries, 1, layers, bias),
        Linear("k_proj", hidden, keys, 1, layers, bias),
        Linear("v_proj", hidden, keys, 1, layers, bias),
        Linear("o_proj", queries, hidden, 1, layers, _has_biases(architecture)),
    )


def _latent_attention(architecture: Architecture, sizes: _Sizes) -> tuple[Linear, ...]:
    """Multi-head latent attention: queries and keys through low-rank bottlenecks."""
    rope, nope = architecture.qk_rope_head_dim or 0, architecture.qk_nope_head_dim or 0
    value, rank = architecture.v_head_dim or 0, architecture.kv_lora_rank or 0
    hidden, heads, layers = sizes.hidden, sizes.heads, sizes.layers
    queries = heads * (nope + rope)
    query_rank = architecture.q_lora_rank
    if query_rank:
        query: tuple[Linear, ...] = (
            Linear("q_a_proj", hidden, query_rank, 1, layers),
            Linear("q_b_proj", query_rank, queries, 1, layers),
        )
    else:
        query = (Linear("q_proj", hidden, queries, 1, layers),)
    return (
        *query,
        Linear("kv_a_proj_with_mqa", hidden, rank + rope, 1, layers),
        Linear("kv_b_proj", rank, heads * (nope + value), 1, layers),
        Linear("o_proj", heads * value, hidden, 1, layers),
    )


def _feed_forward(architecture: Architecture, sizes: _Sizes) -> tuple[Linear, ...]:
    with_experts = moe_layers(architecture)
    layers = (sizes.layers - with_experts) * (2 if architecture.arch == "encdec" else 1)
    dense = _mlp(architecture, sizes.hidden, sizes.intermediate, 1, layers) if layers else ()
    if not with_experts:
        return dense
    width = architecture.moe_intermediate or sizes.intermediate
    experts = architecture.n_experts or 0
    shared = architecture.shared_experts or 0
    return (
        *dense,
        Linear("router", sizes.hidden, experts, 1, with_experts),
        *_mlp(architecture, sizes.hidden, width, experts, with_experts),
        *(_mlp(architecture, sizes.hidden, width * shared, 1, with_experts) if shared else ()),
    )


def _mlp(
    architecture: Architecture, hidden: int, width: int, count: int, layers: int
) -> tuple[Linear, ...]:
    bias = _has_biases(architecture)
    up = Linear("up_proj", hidden, width, count, layers, bias)
    down = Linear("down_proj", width, hidden, count, layers, bias)
    gate = Linear("gate_proj", hidden, width, count, layers, bias)
    return (gate, up, down) if architecture.gated_mlp else (up, down)


def _has_biases(architecture: Architecture) -> bool:
    """Whether every linear has a bias, as in GPT-2 and BERT: biased QKV, layer norms, no gate."""
    a = architecture
    return a.qkv_bias and a.norm == "layernorm" and not a.gated_mlp
