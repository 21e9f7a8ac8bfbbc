"""One model architecture, by the fields that decide its memory and its speed."""

from typing import Literal

from planner.base import Frozen

Arch = Literal["decoder", "moe", "hybrid", "encoder", "encdec", "vlm", "diffusion"]
AttentionKind = Literal["mha", "gqa", "mqa", "mla", "sliding", "linear-hybrid"]


class Architecture(Frozen):
    """Sizes are counts (parameters, layers, units); None is "does not apply" or unknown.

    `params_total` is exact where the registry could instantiate the model; `params_active` are the
    parameters one token passes through (equal to the total for dense models). `moe_layer_step` 2
    means an expert layer every second layer; `first_dense_layers` counts the dense layers before
    the first expert layer; `model_type` is that of the config.json the architecture was read from.
    """

    hf_id: str
    family: str
    display_name: str
    aliases: tuple[str, ...]
    arch: Arch
    params_total: int
    params_active: int
    layers: int | None
    hidden: int | None
    heads: int | None
    kv_heads: int | None
    head_dim: int | None
    intermediate: int | None
    vocab: int | None
    tied_embeddings: bool
    gated_mlp: bool
    qkv_bias: bool
    norm: str | None
    n_experts: int | None
    experts_per_token: int | None
    moe_intermediate: int | None
    shared_experts: int | None
    first_dense_layers: int | None
    moe_layer_step: int | None
    attention_kind: AttentionKind | None
    sliding_window: int | None
    max_context: int | None
    q_lora_rank: int | None
    kv_lora_rank: int | None
    qk_rope_head_dim: int | None
    qk_nope_head_dim: int | None
    v_head_dim: int | None
    vision_params: int | None
    position: str | None
    released: str | None
    source: str
    confidence: str
    remark: str | None = None
    model_type: str | None = None
