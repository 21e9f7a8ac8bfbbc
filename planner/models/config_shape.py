"""The sizes of a model from the fields of its config.json, checked against each other."""

from typing import NamedTuple

from planner.errors import BadInput
from planner.models.architecture import Arch, AttentionKind
from planner.models.config_fields import LARGEST_CONTEXT, Fields, usual_name
from planner.models.config_kind import Kind, says_gated
from planner.models.model_types import ModelType, Switch


class Shape(NamedTuple):
    """The fields of an Architecture that a config.json tells, under the same names."""

    arch: Arch
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int | None
    vocab: int
    gated_mlp: bool
    qkv_bias: bool
    norm: str
    position: str
    attention_kind: AttentionKind
    sliding_window: int | None
    max_context: int | None
    n_experts: int | None
    experts_per_token: int | None
    moe_intermediate: int | None
    shared_experts: int | None
    first_dense_layers: int | None
    moe_layer_step: int | None
    q_lora_rank: int | None
    kv_lora_rank: int | None
    qk_rope_head_dim: int | None
    qk_nope_head_dim: int | None
    v_head_dim: int | None


class _Experts(NamedTuple):
    n_experts: int | None = None
    experts_per_token: int | None = None
    moe_intermediate: int | None = None
    shared_experts: int | None = None
    first_dense_layers: int | None = None
    moe_layer_step: int | None = None

    def in_every_layer(self) -> bool:
        """Whether no layer has an MLP outside the mixture."""
        is_sparse = self.moe_intermediate is not None and self.moe_layer_step == 1
        return is_sparse and not self.first_dense_layers


class _Latent(NamedTuple):
    """The ranks and head sizes of multi-head latent attention."""

    q_lora_rank: int | None
    kv_lora_rank: int | None
    qk_rope_head_dim: int | None
    qk_nope_head_dim: int | None
    v_head_dim: int | None

    @property
    def head_dim(self) -> int | None:
        """A query head's width; None without latent attention."""
        both = (self.qk_rope_head_dim or 0) + (self.qk_nope_head_dim or 0)
        return both if self.kv_lora_rank else None

    def missing(self) -> list[str]:
        """The head sizes that latent attention cannot do without."""
        if not self.kv_lora_rank:
            return []
        needed = ("qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim")
        return [field for field in needed if getattr(self, field) is None]


def read_shape(name: str, kind: Kind, fields: Fields) -> Shape:
    """The sizes in `fields`; BadInput names what is missing or contradicts another."""
    row = kind.row
    experts = _experts(name, fields)
    missing = [field for field in ("layers", "hidden", "heads", "vocab") if not fields.size(field)]
    hidden, heads = fields.size("hidden") or 1, fields.size("heads") or 1
    intermediate = _intermediate(row, fields, hidden)
    if intermediate is None and not experts.in_every_layer():
        missing.append("intermediate")
    latent = _Latent(*(fields.size(field) for field in _Latent._fields))
    missing += latent.missing()
    if missing:
        lacking = tuple(usual_name(field) for field in missing)
        raise BadInput("models.config_lacks", name=name, fields=lacking)
    layers = _layers(row, fields)
    if (experts.first_dense_layers or 0) > layers:
        raise BadInput("models.config_dense_layers", name=name, layers=layers)
    if experts.n_experts and not experts.moe_intermediate:
        experts = experts._replace(moe_intermediate=intermediate)
    kv_heads = _kv_heads(row, fields, heads)
    head_dim = latent.head_dim or fields.size("head_dim") or hidden // heads
    if not head_dim or heads % kv_heads:
        raise BadInput("models.config_heads", name=name, heads=heads, kv_heads=kv_heads)
    window = None if fields.flag("use_sliding_window") is False else fields.size("sliding_window")
    return Shape(
        arch=_arch(row.arch, bool(experts.n_experts)),
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        intermediate=intermediate,
        vocab=fields.size("vocab") or 1,
        gated_mlp=says_gated(fields) if row.mlp == "by_name" else row.mlp == "gated",
        qkv_bias=_is_on(row.bias, fields),
        norm=row.norm,
        position="alibi" if fields.flag("alibi") else row.position,
        attention_kind=_attention(row, bool(latent.kv_lora_rank), heads, kv_heads),
        sliding_window=window,
        max_context=fields.size("max_context", LARGEST_CONTEXT),
        **experts._asdict(),
        **latent._asdict(),
    )


def _experts(name: str, fields: Fields) -> _Experts:
    """The mixture; nothing where the model is dense."""
    number = fields.size("n_experts")
    if not number:
        return _Experts()
    chosen = fields.size("experts_per_token")
    if chosen is None:
        raise BadInput("models.config_lacks", name=name, fields=(usual_name("experts_per_token"),))
    if chosen > number:
        raise BadInput("models.config_experts", name=name, chosen=chosen, experts=number)
    width, shared_width = fields.size("moe_intermediate"), fields.size("shared_width")
    shared = fields.size("shared_experts")
    if shared is None and shared_width and width:
        shared = -(-shared_width // width)
    return _Experts(
        n_experts=number,
        experts_per_token=chosen,
        moe_intermediate=width,
        shared_experts=shared or 0,
        first_dense_layers=fields.size("first_dense_layers") or 0,
        moe_layer_step=fields.size("moe_layer_step") or 1,
    )


def _intermediate(row: ModelType, fields: Fields, hidden: int) -> int | None:
    said = fields.size("intermediate")
    if said is not None or row.mlp_ratio is None:
        return said
    return hidden * (fields.named_size(row.ratio_field) or row.mlp_ratio)


def _layers(row: ModelType, fields: Fields) -> int:
    """Layers; of an encoder-decoder those of one side, the mean where the sides differ."""
    layers = fields.size("layers") or 1
    decoder = fields.size("decoder_layers") if row.arch == "encdec" else None
    return (layers + decoder + 1) // 2 if decoder else layers


def _kv_heads(row: ModelType, fields: Fields, heads: int) -> int:
    if row.one_kv_head is not None and not (row.unless and fields.flag(row.unless)):
        return 1 if _is_on(row.one_kv_head, fields) else _said_kv_heads(fields, heads)
    return _said_kv_heads(fields, heads)


def _said_kv_heads(fields: Fields, heads: int) -> int:
    return fields.size("kv_heads") or heads


def _is_on(switch: Switch, fields: Fields) -> bool:
    said = fields.flag(switch.field) if switch.field else None
    return switch.default if said is None else said


def _arch(usual: Arch, has_experts: bool) -> Arch:
    """A mixture where there are experts, dense where there are none, whatever is usual."""
    if usual in ("decoder", "moe"):
        return "moe" if has_experts else "decoder"
    return usual


def _attention(row: ModelType, is_latent: bool, heads: int, kv_heads: int) -> AttentionKind:
    if is_latent and row.attention is None:
        return "mla"
    if row.attention is not None:
        return row.attention
    if kv_heads == heads:
        return "mha"
    return "mqa" if kv_heads == 1 else "gqa"
