"""Activations: what autograd keeps for the backward, and what one layer needs while it is
recomputed.
"""

from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows
from planner.memory.adapters import MLP_LINEARS, adapts_any
from planner.memory.counts import Counts
from planner.memory.families import Saves, extra_per_token
from planner.memory.setup import Setup
from planner.models.architecture import Architecture

#: Layers whose activations stay on the GPU while the others are copied to host memory.
LAYERS_KEPT_WHEN_OFFLOADED = 2
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


def _key(setup: Setup) -> tuple[str, str, str]:
    autocast = setup.method != "full" or setup.streams_in_fp32
    precision = setup.precision if autocast else "bf16"
    return (setup.profile.model_code, _family(setup), precision)


def _coefficients(setup: Setup) -> dict[str, float]:
    """The row of data/saved_activations.csv for the stack's model code, or for Hugging Face's."""
    key, table = _key(setup), _table()
    return table.get(key) or table["hf", *key[1:]]


def _saves(setup: Setup) -> Saves:
    if setup.method == "full":
        return "full_amp" if setup.streams_in_fp32 else "full"
    return "prepared" if setup.base_is_quantised and setup.kbit_preparation else "frozen"


def is_checked(setup: Setup) -> bool:
    """Whether what its model code saves was read off PyTorch itself, for this method."""
    return setup.method in ("full", "lora", "qlora") and _key(setup) in _table()


def _family(setup: Setup) -> str:
    """Which row of data/saved_activations.csv holds: by what is frozen and which linears are
    adapted.
    """
    if setup.method == "full":
        return "full"
    adapts = setup.method in ("lora", "qlora", "dora")
    in_mlp = adapts and adapts_any(setup, MLP_LINEARS)
    if setup.base_is_quantised:
        base = "qlora-prepared" if setup.kbit_preparation else "qlora-plain"
        return f"{base}-all" if in_mlp else f"{base}-attention"
    if in_mlp:
        return "lora-all"
    return "lora-attention" if adapts and adapts_any(setup, ("o_proj",)) else "lora-inputs"


def per_token(architecture: Architecture, counts: Counts, setup: Setup) -> SavedPerToken:
    """Bytes per token of one average layer.

    saved = a H + b Hq + c Hkv + d I + e r + 4 n, with hidden size H, query width Hq, key/value
    width Hkv, MLP width I (chosen and shared experts in a mixture), rank r, n heads (the softmax
    statistics of flash attention). An ungated MLP keeps half of a gated one's; routing keeps two
    copies of the hidden state per chosen expert; some families save more or less
    (data/families.csv). Eager attention adds 6 n S for its score
    matrices, S the sequence length (a sliding window bounds it). fp32 training doubles the 16-bit
    terms. Coefficients: data/saved_activations.csv; against PyTorch's autograd within 0.7 % for
    Llama and Mistral.
    """
    c = _coefficients(setup)
    hidden, heads = architecture.hidden or 0, architecture.heads or 0
    query, key_value = counts.query_width, counts.key_value_width
    mlp = counts.mlp_width * (1.0 if architecture.gated_mlp else 0.5)
    scores = 6.0 * heads * setup.seq_len if setup.attention == "eager" else 0.0
    routed = 4.0 * hidden * counts.expert_copies
    rank = setup.lora_rank if setup.method in ("lora", "qlora", "dora") else 0
    scale = setup.compute_bytes / 2
    extra = extra_per_token(architecture, counts, _saves(setup))
    attention = c["query"] * query + c["key_value"] * key_value
    saved = c["hidden"] * hidden + attention + c["mlp"] * mlp + c["rank"] * rank + extra
    working = (
        extra
        + c["work_hidden"] * hidden
        + c["work_query"] * query
        + c["work_key_value"] * key_value
        + c["work_mlp"] * mlp
    )
    if setup.base_is_quantised and setup.profile.keeps_quantised_inputs:
        saved += 4 * hidden + 2 * query + 2 * mlp
    if rank and setup.checkpointing == "full":
        working += setup.profile.adapter_working_bytes * hidden
    return SavedPerToken(
        saved=scale * (saved + routed) + 4 * heads + scores,
        residual=scale * c["residual"] * hidden,
        working=scale * (working + routed) + scores,
    )


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
    layers: float = counts.layers
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
