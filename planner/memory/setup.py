"""One training job with nothing left open: what was asked, completed by the stack's defaults."""

from typing import Literal, NamedTuple, TypeVar

from planner.memory import diffusion, tower_training
from planner.memory.stacks import (
    Layout,
    Overheads,
    StackProfile,
    is_at_least,
    is_before,
    layout,
    overheads,
    profile,
)
from planner.models.architecture import Architecture
from planner.models.lora import experts_are_adapted, usual_ia3_targets
from planner.models.native import native_base_dtype
from planner.notes import Note, note
from planner.query import (
    Attention,
    BaseDtype,
    Checkpointing,
    Loss,
    Method,
    Optimizer,
    OptimizerStates,
    Precision,
    Sharding,
    Stack,
    Training,
)

#: Whose measured runs the range around an estimate comes from.
Kind = Literal["text", "vision", "diffusion"]
T = TypeVar("T")
#: Losses whose logits are an output of the model.
LOSSES_THAT_KEEP_LOGITS: tuple[Loss, ...] = ("standard", "fast_ce", "chunked_ce")
DEFAULT_STACK: Stack = "hf-trl"
DEFAULT_SEQ_LEN = 2048
DEFAULT_RANK = 16
#: Virtual tokens of prefix and prompt tuning: peft's documentation uses 20.
DEFAULT_VIRTUAL_TOKENS = 20
FROZEN_BASE: frozenset[Method] = frozenset(
    {"lora", "qlora", "dora", "adapter", "adapter_v2", "prefix", "prompt", "ia3"}
)
#: Bytes per weight, constants included: fp32 per block of 64; fp16 scale and packed zero point per
#: group of 128; fp32 per tile of 128 x 128; an 8-bit exponent per block of 32. LLM.int8's one scale
#: per output is too small to count.
QUANTISED_BYTES_PER_PARAM: dict[BaseDtype, float] = {
    "nf4": 0.5 + 4 / 64,
    "int8": 1.0,
    "gptq-int4": 0.5 + 2.5 / 128,
    "gptq-int8": 1.0 + 3 / 128,
    "fp8": 1.0 + 4 / 128**2,
    "mxfp4": 0.5 + 1 / 32,
}
#: The type whose checkpoints quantise the experts and nothing else.
EXPERTS_ONLY: BaseDtype = "mxfp4"
#: Types that bitsandbytes makes while it loads a 16-bit checkpoint: of linears, not of experts that
#: a stack of its own keeps as one parameter.
MADE_AT_LOADING: tuple[BaseDtype, ...] = ("nf4", "int8")
#: NF4 with its block constants quantised again: uint8 per 64 values and fp32 per 256 of those.
DOUBLE_QUANT_BYTES_PER_PARAM = 0.5 + 1 / 64 + 4 / (64 * 256)


_IN_FP32: tuple[BaseDtype, ...] = ("fp32", "fp32-amp-fp16")


class Setup(NamedTuple):
    """A settled job. Sizes in bytes, lengths in tokens; `gpus` counts over all nodes.

    `patches_per_sequence` go through a vision tower; their tokens are part of `seq_len`.
    """

    method: Method
    profile: StackProfile
    overheads: Overheads
    holds_outputs: bool
    keeps_quantised_inputs: bool
    longest_comes_first: bool
    base_dtype: BaseDtype
    double_quant: bool
    precision: Precision
    kbit_preparation: bool
    seq_len: int
    micro_batch: int
    accumulates: bool
    lora_rank: int
    lora_targets: str
    virtual_tokens: int
    train_embeddings: bool
    optimizer: Optimizer
    optimizer_states: OptimizerStates
    master_weights: bool
    optimizer_in_backward: bool
    checkpointing: Checkpointing
    activation_offload: bool
    attention: Attention
    loss: Loss
    lengths_are_equal: bool
    torch_compile: bool
    sharding: Sharding
    offload: bool
    gpus: int
    nodes: int
    patches_per_sequence: int
    trains_tower: bool
    kind: Kind

    @property
    def tokens(self) -> int:
        """Tokens in one micro-batch on one GPU; a prompt's virtual ones go before every sample."""
        before = self.virtual_tokens if self.method == "prompt" else 0
        return (self.seq_len + before) * self.micro_batch

    @property
    def workers(self) -> int:
        """How many micro-batches are worked on at once: a naive device map takes one through all
        GPUs.
        """
        return 1 if self.sharding == "device_map" else self.gpus

    @property
    def layout(self) -> Layout:
        """Whether GPUs talk to each other."""
        return layout(self.gpus, self.sharding)

    @property
    def base_is_frozen(self) -> bool:
        """Whether only adapters are trained."""
        return self.method in FROZEN_BASE

    @property
    def base_is_quantised(self) -> bool:
        """Whether the base model's linear layers are stored in fewer than 16 bits."""
        return self.base_dtype in QUANTISED_BYTES_PER_PARAM

    @property
    def follows_outputs(self) -> bool:
        """Whether the outputs of a micro-batch as long stand until this one's are made."""
        outlive = self.holds_outputs and self.profile.outputs_outlive_step
        return outlive and not self.longest_comes_first

    @property
    def base_kind(self) -> str:
        """The quantised type of the base, or "plain"."""
        return self.base_dtype if self.base_is_quantised else "plain"

    @property
    def streams_in_fp32(self) -> bool:
        """Whether the hidden states between layers are fp32: the weights they start from are.

        FSDP's mixed precision computes in 16 bits whatever its shards are kept in.
        """
        return self.trained_bytes == 4 and not self.base_is_frozen and self.sharding != "fsdp"

    @property
    def compute_bytes(self) -> int:
        """Bytes of one element in the matrix multiplications."""
        return 4 if self.base_dtype == "fp32" else 2

    @property
    def copied_bytes(self) -> int:
        """Bytes of one element of embeddings and head trained as copies beside adapters."""
        base = self.kbit_preparation or self.base_dtype in _IN_FP32
        return 4 if base or self.profile.copies_in_fp32 else 2

    @property
    def has_master_copy(self) -> bool:
        """Whether fp32 copies stand beside 16-bit weights. FSDP shards the fp32 weights
        themselves.
        """
        return self.master_weights and self.sharding != "fsdp"

    @property
    def trained_bytes(self) -> int:
        """Bytes of one trained parameter, and of its gradient.

        Full fine-tuning under autocast trains fp32 weights, unless the states follow 16-bit ones.
        """
        if self.base_dtype in _IN_FP32:
            return 4
        if self.base_is_frozen:
            return 2 if self.precision == "bf16" else 4
        in_fp32 = self.precision == "amp" and self.optimizer_states == "fp32"
        return 4 if in_fp32 and not self.has_master_copy else 2


class Settled(NamedTuple):
    """A setup and what was assumed to get there."""

    setup: Setup
    assumptions: tuple[Note, ...]


def settle(
    architecture: Architecture, asked: Training, *, gpus: int = 1, nodes: int = 1
) -> Settled:
    """Complete `asked` with its stack's defaults; every default taken is named in the assumptions.

    `gpus` counts over all `nodes`.
    """
    taken = _Defaults()
    asked, notes = _usual_for_kind(architecture, asked, taken)
    stack = taken.or_default("stack", asked.stack, DEFAULT_STACK)
    defaults = profile(stack)
    frozen = asked.method in FROZEN_BASE
    usual = defaults.adapter_precision if frozen else defaults.full_precision
    precision = taken.or_default("precision", asked.precision, usual)
    longest = architecture.max_context or DEFAULT_SEQ_LEN
    seq_len = taken.or_default("seq_len", asked.seq_len, min(DEFAULT_SEQ_LEN, longest))
    seen = tower_training.pictures(architecture, asked, seq_len)
    micro_batch = taken.or_default("micro_batch", asked.micro_batch, 1)
    adapts = asked.method in ("lora", "qlora", "dora")
    has_targets, has_prompt = adapts or asked.method == "ia3", asked.method in ("prefix", "prompt")
    lora_rank = taken.or_default("lora_rank", asked.lora_rank, DEFAULT_RANK, adapts)
    lora_targets = taken.or_default(
        "lora_targets", asked.lora_targets, _usual_targets(architecture, asked), has_targets
    )
    base_dtype = _base_dtype(architecture, asked, defaults)
    sharding = _sharding(asked, gpus, taken)
    setup = Setup(
        method=asked.method,
        profile=defaults,
        overheads=overheads(stack, layout(gpus, sharding)),
        holds_outputs=is_at_least(asked.stack_version, defaults.outputs_held_from),
        keeps_quantised_inputs=is_before(asked.stack_version, defaults.inputs_kept_before),
        longest_comes_first=is_before(asked.stack_version, defaults.longest_first_before),
        base_dtype=base_dtype,
        double_quant=base_dtype == "nf4" and asked.double_quant is not False,
        precision=precision,
        kbit_preparation=_kbit_preparation(asked, base_dtype, sharding, defaults),
        seq_len=max(seq_len, seen.tokens),
        micro_batch=micro_batch,
        accumulates=defaults.accumulates
        if asked.global_batch is None
        else asked.global_batch > micro_batch * gpus,
        lora_rank=lora_rank,
        lora_targets=lora_targets,
        virtual_tokens=taken.or_default(
            "virtual_tokens", asked.virtual_tokens, DEFAULT_VIRTUAL_TOKENS, has_prompt
        ),
        train_embeddings=bool(asked.train_embeddings),
        optimizer=taken.or_default("optimizer", asked.optimizer, defaults.optimizer),
        optimizer_states=asked.optimizer_states or _states(asked, precision, frozen),
        master_weights=bool(asked.master_weights),
        optimizer_in_backward=bool(asked.optimizer_in_backward),
        checkpointing=taken.or_default(
            "gradient_checkpointing", asked.gradient_checkpointing, defaults.checkpointing
        ),
        activation_offload=bool(asked.activation_offload),
        attention=_attention(asked, architecture, defaults),
        loss=_loss(asked, defaults, taken),
        lengths_are_equal=asked.packing is not False,
        torch_compile=bool(asked.torch_compile),
        sharding=sharding,
        offload=bool(asked.offload),
        gpus=gpus,
        nodes=nodes,
        patches_per_sequence=seen.patches,
        trains_tower=tower_training.trains_tower(architecture, asked, stack, lora_targets),
        kind=_kind(architecture, seen.patches),
    )
    taken.names += seen.assumed
    notes += _assumptions(architecture, asked, setup, tuple(taken.names))
    notes += tower_training.notes(seen, seq_len)
    return Settled(setup, tuple(notes))


def _assumptions(
    architecture: Architecture, asked: Training, setup: Setup, defaults: tuple[str, ...]
) -> tuple[Note, ...]:
    """What was taken for granted: the `defaults`, what becomes of experts, how long batches are."""
    notes = [note("memory.assumed_settings", settings=defaults)] if defaults else []
    adapts = setup.method in ("lora", "qlora", "dora")
    if architecture.n_experts and adapts and not experts_are_adapted(architecture):
        notes.append(note("memory.assumed_experts_out_of_reach"))
    elif architecture.n_experts and adapts and asked.lora_targets is None:
        notes.append(note("memory.assumed_experts_frozen"))
    if architecture.n_experts and _leaves_experts(asked, setup.base_dtype, setup.profile):
        notes.append(note("memory.assumed_experts_quantised", base_dtype=setup.base_dtype))
    if not setup.lengths_are_equal:
        notes.append(note("memory.assumed_longest_batch", seq_len=setup.seq_len))
    return tuple(notes)


class _Defaults:
    """Hands out what was said, or the default, and remembers which defaults were taken."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def or_default(self, key: str, said: T | None, default: T, matters: bool = True) -> T:
        """`said`, or `default` noted as `key=default` where it matters to this job."""
        if said is not None:
            return said
        if matters:
            self.names.append(f"{key}={default}")
        return default


def _usual_for_kind(
    architecture: Architecture, asked: Training, taken: _Defaults
) -> tuple[Training, list[Note]]:
    """What is usual for pictures stands in for a language model's defaults."""
    if architecture.arch != "diffusion":
        return asked, []
    completed, names = diffusion.complete(architecture, asked)
    taken.names += names
    return completed, list(diffusion.notes(architecture, asked))


def _kind(architecture: Architecture, patches: int) -> Kind:
    if architecture.arch == "diffusion":
        return "diffusion"
    return "vision" if patches else "text"


def _base_dtype(architecture: Architecture, asked: Training, defaults: StackProfile) -> BaseDtype:
    """What was said; else QLoRA takes the published 4-bit weights where the stack trains on them,
    and makes its own where not.
    """
    if asked.base_dtype is not None:
        return asked.base_dtype
    if asked.method != "qlora":
        return "bf16"
    native = native_base_dtype(architecture)
    return native if native in defaults.quantised_bases else "nf4"


def _loss(asked: Training, defaults: StackProfile, taken: _Defaults) -> Loss:
    """The kind of loss as the stack's code runs it."""
    loss = taken.or_default("loss", asked.loss, defaults.loss)
    keeps = loss == "chunked_output" and defaults.chunked_output_keeps_logits
    return "chunked_ce" if keeps else loss


def _leaves_experts(asked: Training, base_dtype: BaseDtype, defaults: StackProfile) -> bool:
    """Whether plain loading would leave the experts in 16 bits: transformers 5 keeps those of a
    layer as one parameter, and bitsandbytes quantises linears.
    """
    own = "quantised_experts" in defaults.own_features
    stacked = is_at_least(asked.stack_version, "transformers 5.0")
    return base_dtype in MADE_AT_LOADING and defaults.model_code == "hf" and stacked and not own


def _kbit_preparation(
    asked: Training, base_dtype: BaseDtype, sharding: Sharding, defaults: StackProfile
) -> bool:
    """Whether what is not quantised stands in fp32: peft casts it around bitsandbytes' weights
    alone, and DeepSpeed turns it back to 16 bits.
    """
    in_deepspeed = sharding in ("zero1", "zero2", "zero3")
    if base_dtype not in MADE_AT_LOADING or in_deepspeed:
        return False
    return defaults.kbit_preparation if asked.kbit_preparation is None else asked.kbit_preparation


def _states(asked: Training, precision: Precision, frozen: bool) -> OptimizerStates:
    """What torch does: states in the dtype of the parameters, which full training under autocast
    keeps in fp32.
    """
    in_fp32 = asked.master_weights or (precision != "bf16" and not frozen)
    return "fp32" if in_fp32 else "param"


def _usual_targets(architecture: Architecture, asked: Training) -> str:
    """Every linear layer, but in a mixture of experts the attention alone: experts are seldom
    adapted. IA3 has targets of its own.
    """
    if asked.method == "ia3":
        return usual_ia3_targets(architecture)
    return "attention" if architecture.n_experts else "all-linear"


def _attention(asked: Training, architecture: Architecture, defaults: StackProfile) -> Attention:
    if asked.attention is not None:
        return asked.attention
    return "eager" if architecture.position == "relative" else defaults.attention


def _sharding(asked: Training, gpus: int, taken: _Defaults) -> Sharding:
    if asked.sharding is not None and not (asked.sharding == "none" and gpus > 1):
        return asked.sharding
    if asked.offload:
        return taken.or_default("sharding", None, offloading_layout(gpus))
    if gpus == 1:
        return "none"
    return taken.or_default("sharding", None, "ddp" if asked.method in FROZEN_BASE else "fsdp")


def offloading_layout(gpus: int) -> Sharding:
    """How states are moved to the host where nobody says: FSDP does between GPUs, DeepSpeed on
    one.
    """
    return "fsdp" if gpus > 1 else "zero2"
