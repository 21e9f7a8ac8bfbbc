"""What is trained, and how many parameters it has."""

from planner.errors import BadInput
from planner.memory import diffusion
from planner.memory.counts import Counts
from planner.memory.setup import Setup
from planner.models.architecture import Architecture
from planner.models.lora import adapted_linears, scaled_linears
from planner.models.params import (
    LINEAR_NAMES,
    Linear,
    canonical_linear,
    layer_linears,
    norm_params,
)
from planner.models.vision import tower_of

#: Virtual tokens of LLaMA-Adapter: litgpt's 10.
ADAPTER_PROMPT = 10
#: Width of an adapter that is a bottleneck behind each MLP: ms-swift's usual 128.
BOTTLENECK = 128
#: LLaMA-Adapter leaves the first layers alone.
ADAPTER_START_LAYER = 2

ATTENTION_LINEARS = ("q_proj", "k_proj", "v_proj", "o_proj")
MLP_LINEARS = ("gate_proj", "up_proj", "down_proj")


def adapts_any(setup: Setup, linears: tuple[str, ...]) -> bool:
    """Whether LoRA adapters sit on any of `linears`, whose inputs must then be kept."""
    targets = setup.lora_targets
    if targets == "all-linear":
        return True
    if targets == "attention":
        return any(name in ATTENTION_LINEARS for name in linears)
    return any(name in linears for typed in targets.split(",") for name in canonical_linear(typed))


def refuse_unknown_targets(targets: str) -> None:
    """Raise BadInput for a target that names no layer Muat knows."""
    if targets in ("all-linear", "attention"):
        return
    for typed in targets.split(","):
        if not canonical_linear(typed):
            raise BadInput("memory.unknown_target", target=typed.strip(), known=LINEAR_NAMES[:7])


def adapter_params(architecture: Architecture, counts: Counts, setup: Setup) -> int:
    """Parameters added beside the frozen base; 0 for full fine-tuning.

    LoRA adds r x (in + out) per adapted linear layer (Hu et al., 2021); DoRA also a magnitude per
    output (Liu et al., 2024). Prefix tuning adds keys and values of its virtual tokens in every
    layer, prompt tuning only embeddings, of encoder and decoder; IA3 one scale per output of the
    attention's chosen linears and per input of the MLP's (Liu et al., 2022). LLaMA-Adapter adds a
    prompt and a gate per head to every layer but the first two (Zhang et al., 2023), its second
    version scales, biases and norms as well (Gao et al., 2023); other stacks mean a bottleneck
    behind each MLP (Houlsby et al., 2019).
    """
    if architecture.arch == "diffusion":
        return diffusion.adapter_params(
            architecture, setup.method, setup.lora_targets, setup.lora_rank
        )
    layers, hidden = architecture.layers or 0, architecture.hidden or 0
    if setup.method in ("lora", "qlora", "dora"):
        chosen = adapted_linears(architecture, setup.lora_targets)
        added = sum(
            setup.lora_rank * (linear.in_features + linear.out_features) * linear.count
            for linear in chosen
        )
        if setup.method == "dora":
            added += sum(linear.out_features * linear.count for linear in chosen)
        return added + _tower_adapters(architecture, setup)
    if setup.method == "prefix":
        return 2 * layers * setup.virtual_tokens * counts.key_value_width
    if setup.method == "prompt":
        return setup.virtual_tokens * hidden * (2 if architecture.arch == "encdec" else 1)
    if setup.method == "adapter" and setup.profile.bottleneck_adapter:
        return layers * (2 * BOTTLENECK * hidden + BOTTLENECK + hidden)
    if setup.method in ("adapter", "adapter_v2"):
        adapted = max(0, layers - ADAPTER_START_LAYER)
        prompts = adapted * (ADAPTER_PROMPT * hidden + (architecture.heads or 0))
        scaled = _scales_and_norms(architecture) if setup.method == "adapter_v2" else 0
        return prompts + scaled
    if setup.method == "ia3":
        return sum(scaled_widths(architecture, setup.lora_targets))
    return 0


def _tower_adapters(architecture: Architecture, setup: Setup) -> int:
    """LoRA on every linear of the vision tower, where the stack's all-linear reaches into it."""
    tower = tower_of(architecture) if setup.trains_tower else None
    if tower is None:
        return 0
    return setup.lora_rank * tower.linear_features


def scaled_widths(architecture: Architecture, targets: str) -> tuple[int, int]:
    """What IA3 scales over all layers: inputs of the MLP's linears, outputs of the attention's."""
    scaled = scaled_linears(architecture, targets)
    into = sum(one.in_features * one.count for one in scaled if _in_mlp(one))
    out = sum(one.out_features * one.count for one in scaled if not _in_mlp(one))
    return into, out


def _in_mlp(linear: Linear) -> bool:
    return any(name in MLP_LINEARS for name in canonical_linear(linear.name))


def _scales_and_norms(architecture: Architecture) -> int:
    """What LLaMA-Adapter v2 trains beside the prompts: a scale and a bias per output of every
    linear, the head among them, and the norms."""
    outputs = sum(linear.out_features * linear.count for linear in layer_linears(architecture))
    return 2 * (outputs + (architecture.vocab or 0)) + norm_params(architecture)


def vocabulary_matrix(architecture: Architecture) -> int:
    """Parameters of the token embeddings, or of the head: vocabulary x hidden."""
    return (architecture.vocab or 0) * (architecture.hidden or 0)


def copied_params(architecture: Architecture, setup: Setup) -> int:
    """Embeddings and head trained beside adapters. Where the two share a matrix it is one: peft
    copies it once for modules_to_save=embed_tokens.
    """
    if not (setup.base_is_frozen and setup.train_embeddings):
        return 0
    has_head = not architecture.tied_embeddings and architecture.arch != "encoder"
    return vocabulary_matrix(architecture) * (2 if has_head else 1)


def largest_trained_tensor(architecture: Architecture, counts: Counts, setup: Setup) -> int:
    """Parameters of the largest trained matrix; adapters are too small to count."""
    if setup.method == "full":
        return max(counts.embedding, counts.largest_linear)
    return vocabulary_matrix(architecture) if setup.train_embeddings else 0


def trainable_params(architecture: Architecture, counts: Counts, setup: Setup) -> int:
    """Parameters that receive gradients: all of them (but a frozen vision tower's), or the adapters
    and, if trained, embeddings and head.
    """
    if setup.method == "full":
        return counts.total - (0 if setup.trains_tower else counts.tower)
    return adapter_params(architecture, counts, setup) + copied_params(architecture, setup)
