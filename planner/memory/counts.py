"""The parameter counts and widths of one architecture that the memory terms share."""

from typing import NamedTuple

from planner.models.architecture import Architecture
from planner.models.diffusion import denoiser
from planner.models.params import (
    embedding_params,
    formula_covers,
    head_params,
    layer_linears,
    layer_params,
)


class Counts(NamedTuple):
    """Counts in parameters, widths in elements per token.

    `linear` are the parameters of the layers' linear maps (what quantisation shrinks), experts
    included; `experts` those of the routed experts' matrices, without biases. `query_width` and
    `key_value_width` are heads x head_dim; `mlp_width` is what one token passes through in the MLP,
    averaged over layers (the chosen and shared experts in a mixture); `expert_copies` is how many
    copies of a token's hidden state the routing makes, averaged over layers. `tower` are the
    parameters beside the language model: vision and audio.
    """

    total: int
    active: int
    linear: int
    experts: int
    embedding: int
    head: int
    largest_layer: int
    largest_linear: int
    query_width: int
    key_value_width: int
    mlp_width: float
    expert_copies: float
    layers: int
    tower: int


def count(architecture: Architecture) -> Counts:
    """The counts of `architecture`."""
    if architecture.arch == "diffusion":
        return _denoiser_counts(architecture)
    linears = tuple(part for part in layer_linears(architecture) if part.name != "router")
    linear = sum(part.params for part in linears)
    if not formula_covers(architecture):
        linear = layer_params(architecture)
    heads = architecture.heads or 0
    head_dim = architecture.head_dim or 0
    if architecture.attention_kind == "mla":
        qk = (architecture.qk_nope_head_dim or 0) + (architecture.qk_rope_head_dim or 0)
        query_width = key_value_width = heads * qk
    else:
        query_width = heads * head_dim
        key_value_width = (architecture.kv_heads or heads) * head_dim
    layers = (architecture.layers or 1) * (2 if architecture.arch == "encdec" else 1)
    mlp_width, expert_copies = _mlp(architecture)
    return Counts(
        total=architecture.params_total,
        active=architecture.params_active,
        linear=linear,
        experts=sum(
            one.in_features * one.out_features * one.count
            for one in linears
            if one.count_per_layer > 1
        ),
        embedding=embedding_params(architecture),
        head=head_params(architecture),
        largest_layer=round(linear / layers),
        largest_linear=max((part.in_features * part.out_features for part in linears), default=0),
        query_width=query_width,
        key_value_width=key_value_width,
        mlp_width=mlp_width,
        expert_copies=expert_copies,
        layers=layers,
        tower=architecture.vision_params or 0,
    )


def _mlp(architecture: Architecture) -> tuple[float, float]:
    dense = float(architecture.intermediate or 0)
    if not architecture.n_experts:
        return dense, 0.0
    layers = architecture.layers or 1
    step = architecture.moe_layer_step or 1
    sparse_layers = (layers - (architecture.first_dense_layers or 0)) / step
    chosen = architecture.experts_per_token or 1
    width = (architecture.moe_intermediate or dense) * (chosen + (architecture.shared_experts or 0))
    share = sparse_layers / layers
    return dense * (1 - share) + width * share, chosen * share


def _denoiser_counts(architecture: Architecture) -> Counts:
    """The counts of the trained part in the terms of a language model: no embeddings, no head.

    Widths are 0: what attention costs is in `active`, what it saves in the blocks' coefficients.
    """
    model = denoiser(architecture)
    return Counts(
        total=model.trained_params,
        active=model.active_per_token or model.trained_params,
        linear=model.linear_params,
        experts=0,
        embedding=0,
        head=0,
        largest_layer=round(model.trained_params / model.parts),
        largest_linear=model.largest_linear,
        query_width=0,
        key_value_width=0,
        mlp_width=0.0,
        expert_copies=0.0,
        layers=model.parts,
        tower=0,
    )
