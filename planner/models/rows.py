"""A row of models.csv as an Architecture."""

from typing import cast

from planner.models.architecture import Arch, Architecture, AttentionKind

_GATED = frozenset({"swiglu", "geglu"})


def architecture_from_row(row: dict[str, str]) -> Architecture:
    """The architecture a row of the registry describes; a blank cell is None, "y" is true."""
    total = int(row["params_total"])
    return Architecture(
        hf_id=row["hf_id"],
        family=row["family"],
        display_name=row["display_name"],
        aliases=tuple(alias for alias in row["aliases"].split(";") if alias),
        arch=cast(Arch, row["arch"]),
        params_total=total,
        params_active=_count(row["params_active"]) or total,
        layers=_count(row["layers"]),
        hidden=_count(row["hidden"]),
        heads=_count(row["heads"]),
        kv_heads=_count(row["kv_heads"]),
        head_dim=_count(row["head_dim"]),
        intermediate=_count(row["intermediate"]),
        vocab=_count(row["vocab"]),
        tied_embeddings=row["tied_embeddings"] == "y",
        gated_mlp=row["mlp_kind"] in _GATED,
        qkv_bias=row["qkv_bias"] == "y",
        norm=row["norm"] or None,
        n_experts=_count(row["n_experts"]),
        experts_per_token=_count(row["experts_per_token"]),
        moe_intermediate=_count(row["moe_intermediate"]),
        shared_experts=_count(row["shared_experts"]),
        first_dense_layers=_count(row["first_dense_layers"]),
        moe_layer_step=_count(row["moe_layer_step"]),
        attention_kind=cast(AttentionKind | None, row["attention_kind"] or None),
        sliding_window=_count(row["sliding_window"]),
        max_context=_count(row["max_context"]),
        q_lora_rank=_count(row["q_lora_rank"]),
        kv_lora_rank=_count(row["kv_lora_rank"]),
        qk_rope_head_dim=_count(row["qk_rope_head_dim"]),
        qk_nope_head_dim=_count(row["qk_nope_head_dim"]),
        v_head_dim=_count(row["v_head_dim"]),
        vision_params=_count(row["vision_params"]),
        position=row["pos_embed"] or None,
        released=row["released"] or None,
        source=row["source"],
        confidence=row["confidence"],
        remark=row["notes"] or None,
    )


def _count(cell: str) -> int | None:
    return int(cell) if cell else None
