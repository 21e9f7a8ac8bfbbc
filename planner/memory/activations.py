"""Activations: what autograd keeps for the backward, and what one layer needs while it is
recomputed.
"""

from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows
from planner.memory.adapters import (
    ADAPTER_START_LAYER,
    ATTENTION_LINEARS,
    MLP_LINEARS,
    adapts_any,
    scaled_widths,
)
from planner.memory.counts import Counts
from planner.memory.families import Saves, extra_per_token
from planner.memory.setup import Setup
from planner.models.architecture import Architecture
from planner.models.lora import adapted_linears

#: Layers whose activations stay on the GPU while the others are copied to host memory.
LAYERS_KEPT_WHEN_OFFLOADED = 2
#: The model code whose Llama layer data/families.csv differs from.
LLAMA_CODE = "hf"
_KEYS = ("model_code", "family", "precision")


class SavedPerToken(NamedTuple):
    """Bytes that one layer keeps per token: `saved` for the backward, `residual` when only its
    input is kept, `working` while it is recomputed."""

    saved: float
    residual: float
    working: float


@cache
def _table() -> dict[tuple[str, ...], dict[str, float]]:
    return {
        tuple(row[name] for name in _KEYS): {
            name: float(value) for name, value in row.items() if name not in (*_KEYS, "source")
        }
        for row in read_rows("planner.memory", "saved_activations.csv")
    }


def _row(setup: Setup) -> tuple[str, str, str]:
    """Which row of data/saved_activations.csv holds: that of the stack's model code, or of Hugging
    Face's.
    """
    autocast = setup.method != "full" or setup.streams_in_fp32
    precision = setup.precision if autocast else "bf16"
    codes = (setup.profile.model_code, LLAMA_CODE)
    rows = ((code, family, precision) for code in codes for family in _families(setup))
    return next(row for row in rows if row in _table())


def _saves(setup: Setup) -> Saves:
    if setup.method == "full":
        return "full_amp" if setup.streams_in_fp32 else "full"
    return "prepared" if setup.base_is_quantised and setup.kbit_preparation else "frozen"


def is_checked(setup: Setup) -> bool:
    """Whether what its model code saves was read off PyTorch itself, for this method and base."""
    own = _row(setup)[0] == setup.profile.model_code
    return own and setup.method in ("full", "lora", "qlora") and setup.base_kind in ("plain", "nf4")


def _families(setup: Setup) -> tuple[str, ...]:
    """Which rows of data/saved_activations.csv hold, the most fitting first: by what is frozen and
    which linears are adapted.
    """
    if setup.method == "full":
        return ("full",)
    adapts = setup.method in ("lora", "qlora", "dora")
    part = "inputs"
    if adapts and adapts_any(setup, MLP_LINEARS):
        part = "all"
    elif adapts and adapts_any(setup, ("o_proj",)):
        part = "attention"
    if not setup.base_is_quantised:
        if part == "all" and not adapts_any(setup, ATTENTION_LINEARS):
            return (setup.method, "lora-mlp", "lora-all")
        return (setup.method, f"frozen-{setup.method}", f"lora-{part}")
    base = "qlora-prepared" if setup.kbit_preparation else "qlora-plain"
    return (setup.method, f"{base}-{part}", f"{base}-attention")


def per_token(architecture: Architecture, counts: Counts, setup: Setup) -> SavedPerToken:
    """Bytes per token of one average layer.

    saved = a H + b Hq + c Hkv + d I + e r + 4 n, with hidden size H, query width Hq, key/value
    width Hkv, MLP width I (chosen and shared experts in a mixture), rank r, n heads (the softmax
    statistics of flash attention). An ungated MLP, layer norms and values that are a view of a
    fused qkv have figures of their own; some families save more or less (data/families.csv);
    routing keeps two copies of the hidden state per chosen expert. Eager attention adds 6 n S for
    its score matrices, S the sequence length (a sliding window bounds it). fp32 training doubles
    the 16-bit terms. Coefficients: data/saved_activations.csv; against PyTorch's autograd within
    0.7 % for Llama and Mistral.
    """
    row = _row(setup)
    c = _table()[row]
    hidden, heads = architecture.hidden or 0, architecture.heads or 0
    query, key_value = counts.query_width, counts.key_value_width
    mlp, mlp_key = counts.mlp_width, "mlp" if architecture.gated_mlp else "plain_mlp"
    scores = 6.0 * heads * setup.seq_len if setup.attention == "eager" else 0.0
    routed = 4.0 * hidden * counts.expert_copies
    rank = setup.lora_rank if setup.method in ("lora", "qlora", "dora") else 0
    scale = setup.compute_bytes / 2
    attention = c["query"] * query + c["key_value"] * key_value
    same = extra_per_token(architecture, counts, _saves(setup)) if row[0] == LLAMA_CODE else 0.0
    same += c["layernorm_hidden"] * hidden if architecture.norm == "layernorm" else 0.0
    same += c["fused_key_value"] * key_value if _value_is_a_view(architecture) else 0.0
    saved = c["hidden"] * hidden + attention + c[mlp_key] * mlp + c["rank"] * rank + same
    working = (
        c["work_hidden"] * hidden
        + c["work_query"] * query
        + c["work_key_value"] * key_value
        + c[f"work_{mlp_key}"] * mlp
        + same
    )
    beside = _kept_by_method(architecture, setup)
    saved, working = saved + beside, working + beside
    if setup.base_is_quantised and setup.keeps_quantised_inputs:
        saved += _quantised_inputs(architecture, counts)
    if rank and setup.checkpointing == "full":
        working += setup.profile.adapter_working_bytes * hidden
    return SavedPerToken(
        saved=scale * (saved + routed) + 4 * heads + scores,
        residual=scale * c["residual"] * hidden,
        working=scale * (working + routed) + scores,
    )


def _kept_by_method(architecture: Architecture, setup: Setup) -> float:
    """Bytes per token and layer that DoRA, IA3 and prefixes keep beside their family's.

    DoRA keeps the base's and the adapter's result of every adapted output (2 + 2 bytes, the second
    in fp32 without autocast); IA3 the 16-bit outputs it scales, and of the MLP the inputs in its
    scales' width; a prefix a mask over the sequence. Against PyTorch on fake tensors within 0.5 %.
    """
    layers = architecture.layers or 1
    wide = setup.precision != "bf16"
    if setup.method == "dora":
        per_output = 6.0 if setup.precision == "mixed" else 4.0
        adapted = adapted_linears(architecture, setup.lora_targets)
        return per_output * sum(one.out_features * one.count for one in adapted) / layers
    if setup.method == "ia3":
        into, out = scaled_widths(architecture, setup.lora_targets)
        return ((4.0 if wide else 2.0) * into + 2.0 * out) / layers
    return 2.0 * (setup.seq_len + setup.virtual_tokens) if setup.method == "prefix" else 0.0


def _value_is_a_view(architecture: Architecture) -> bool:
    """Whether the values of all heads are a view of one fused qkv: as many key as query heads, or
    one for all."""
    return architecture.kv_heads in (None, 1, architecture.heads)


def _quantised_inputs(architecture: Architecture, counts: Counts) -> float:
    """Bytes per token that go into the linears of one layer: both norms' outputs, the attention's
    and the MLP's."""
    return 4.0 * (architecture.hidden or 0) + 2.0 * counts.query_width + 2.0 * counts.mlp_width


def layers_that_keep(counts: Counts, setup: Setup) -> int:
    """Layers that keep anything: below the first adapter nothing needs a gradient."""
    return counts.layers - (ADAPTER_START_LAYER if setup.method == "adapter" else 0)


def left_over_bytes(architecture: Architecture, counts: Counts, setup: Setup) -> float:
    """What the micro-batch before still keeps while this one goes forward.

    The 4-bit matrix product of older bitsandbytes hangs its input on the graph's node, which
    outlives the backward as long as the caller has the loss and the logits of that graph.
    """
    keeps = setup.base_is_quantised and setup.keeps_quantised_inputs
    if not (keeps and setup.follows_outputs):
        return 0.0
    head = 2.0 * (architecture.hidden or 0) if setup.profile.quantises_head else 0.0
    per_token = layers_that_keep(counts, setup) * _quantised_inputs(architecture, counts) + head
    return setup.tokens * per_token


def saved_bytes(architecture: Architecture, counts: Counts, setup: Setup) -> float:
    """Bytes kept for the backward over all layers on one GPU, without logits.

    Sharding does not shrink them; a naive device map places only its own layers on each GPU.
    Selective checkpointing recomputes the attention alone, which saves little where flash
    attention already keeps no score matrix.
    """
    token = per_token(architecture, counts, setup)
    if setup.checkpointing == "full":
        per_layer = token.residual
    elif setup.checkpointing == "selective":
        recomputed = 2.0 * counts.query_width + 2.0 * counts.key_value_width
        per_layer = token.saved - recomputed
    else:
        per_layer = token.saved
    layers: float = layers_that_keep(counts, setup)
    if setup.activation_offload:
        layers = min(layers, LAYERS_KEPT_WHEN_OFFLOADED)
    if setup.sharding == "device_map":
        layers /= setup.gpus
    compiled = setup.profile.compiled_activations if setup.torch_compile else 1.0
    copies = 0.0
    if setup.method == "full" and setup.precision == "amp" and setup.checkpointing == "none":
        copies = 2.0 * counts.linear / counts.layers * layers
    return setup.tokens * per_layer * layers * compiled + copies


def layer_bytes(architecture: Architecture, counts: Counts, setup: Setup) -> float:
    """Bytes that one layer's forward and backward need, its own activations included."""
    return setup.tokens * per_token(architecture, counts, setup).working


def working_bytes(architecture: Architecture, counts: Counts, setup: Setup) -> float:
    """Bytes that one layer's forward and backward need at once, beside what is saved.

    With checkpointing a whole layer is rebuilt; without it only the gradients that flow through
    one layer are new.
    """
    token = per_token(architecture, counts, setup)
    if setup.checkpointing == "full":
        return setup.tokens * token.working
    return setup.tokens * max(0.0, token.working - token.saved)
