"""Diffusion models: what differs from a language model when a transformer or UNet is trained.

Weights, gradients and optimizer states follow the same rules. There are no logits: the loss is a
mean square over the latents. A picture's length in tokens follows from its resolution. Text
embeddings and latents are taken to be computed beforehand, as diffusers' low-memory recipes and
the measured runs do, so that neither text encoders nor VAE stand on the GPU.
"""

from planner.errors import BadInput
from planner.models.architecture import Architecture
from planner.models.diffusion import adapted, denoiser
from planner.notes import Note, note
from planner.query import BaseDtype, Loss, Method, Stack, Training
from planner.units import GIB

#: peft with diffusers' training scripts behaves like the Hugging Face Trainer: fp32 adapters under
#: bf16 autocast, full fine-tuning in fp32 weights.
USUAL_STACK: Stack = "hf-trainer"
USUAL_TARGETS = "attention"
#: The loss kind that keeps nothing per vocabulary entry.
NO_LOGITS: Loss = "fused_linear"
#: fp32 copies of the largest adapted weight that DoRA holds while it measures its columns: BA, W,
#: their sum and its squares. PyTorch on fake tensors: 4.1 for FLUX.2 klein.
_DORA_COPIES = 4
_METHODS: tuple[Method, ...] = ("full", "lora", "qlora", "dora", "ia3")
_BASES: tuple[BaseDtype, ...] = (
    "bf16", "fp16", "fp32", "fp32-amp-fp16", "nf4", "int8", "fp8",
)  # fmt: skip


def refuse(architecture: Architecture, asked: Training) -> None:
    """Raise BadInput for what makes no sense with a picture, or no formula here covers."""
    denoiser(architecture)
    if asked.method not in _METHODS:
        raise BadInput("memory.diffusion_method", method=asked.method, known=_METHODS)
    if asked.loss is not None:
        raise BadInput("memory.diffusion_loss", loss=asked.loss)
    if asked.base_dtype is not None and asked.base_dtype not in _BASES:
        raise BadInput("memory.diffusion_dtype", base_dtype=asked.base_dtype, known=_BASES)
    if asked.attention == "eager":
        raise BadInput("memory.diffusion_attention")
    if asked.train_embeddings:
        raise BadInput("memory.diffusion_embeddings")
    if asked.lora_targets is not None:
        adapted(architecture, asked.lora_targets)


def complete(architecture: Architecture, asked: Training) -> tuple[Training, tuple[str, ...]]:
    """`asked` with what is usual for pictures, and the settings that were assumed.

    A length that was said is left out: the resolution decides it.
    """
    model = denoiser(architecture)
    usual: dict[str, object] = {"resolution": model.resolution, "stack": USUAL_STACK}
    if asked.method in ("lora", "qlora", "dora"):
        usual["lora_targets"] = USUAL_TARGETS
    taken = {key: value for key, value in usual.items() if getattr(asked, key) is None}
    update = taken | {
        "seq_len": model.tokens(asked.resolution or model.resolution),
        "loss": NO_LOGITS,
        "kbit_preparation": bool(asked.kbit_preparation),
    }
    names = [f"{key}={value}" for key, value in taken.items()]
    if model.frames > 1:
        names.append(f"frames={model.frames}")
    return asked.model_copy(update=update), tuple(names)


def notes(architecture: Architecture, asked: Training) -> tuple[Note, ...]:
    """That text encoders and VAE are elsewhere, what they would take, and what was said in vain."""
    model = denoiser(architecture)
    others = 2.0 * (model.encoder_params + model.vae_params) / GIB
    found = [note("memory.assumed_encoders_elsewhere", others_gib=others)]
    if asked.seq_len is not None:
        found.append(note("memory.diffusion_seq_len", seq_len=asked.seq_len))
    return tuple(found)


def adapter_params(architecture: Architecture, method: Method, targets: str, lora_rank: int) -> int:
    """Parameters beside the frozen model: r x (in + out) per adapted linear, DoRA one more per
    output, IA3 one per key and value and per input of the MLPs' last linear (taken as its output).
    """
    if method == "ia3":
        scaled = adapted(architecture, "attention")
        keys_and_values = [one for one in scaled if "_k" in one.name or "_v" in one.name]
        return sum(one.out_features_sum for one in keys_and_values)
    if method not in ("lora", "qlora", "dora"):
        return 0
    chosen = adapted(architecture, targets)
    added = sum(lora_rank * (one.in_features_sum + one.out_features_sum) for one in chosen)
    return added + (sum(one.out_features_sum for one in chosen) if method == "dora" else 0)


def dora_bytes(architecture: Architecture, targets: str) -> float:
    """What DoRA needs beside LoRA at its largest linear: fp32 copies of the whole weight."""
    return _DORA_COPIES * 4.0 * max(one.largest for one in adapted(architecture, targets))
