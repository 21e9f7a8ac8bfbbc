"""What the reader of an estimate must be told beside the figures."""

from planner.memory.activation_terms import activation_terms
from planner.memory.counts import Counts
from planner.memory.setup import Setup
from planner.memory.stacks import every_profile
from planner.memory.weights import weight_bytes
from planner.models.architecture import Architecture
from planner.models.vision import tower_of
from planner.notes import Note, note
from planner.units import gib

#: Activations beyond this many times the weights are said: the length decides then.
_OUT_OF_PROPORTION = 3
#: An adapter beyond this share of the 16-bit model surprises whoever stores it.
_LARGE_ADAPTER = 0.25
#: Features that some stacks have as an option.
_FEATURES = ("optimizer_in_backward", "activation_offload")


def warnings(
    architecture: Architecture, counts: Counts, setup: Setup, adapter_bytes: float
) -> tuple[Note, ...]:
    """The notes, the gravest first. `adapter_bytes` are those of one GPU."""
    said = (
        _beyond_context(architecture, setup),
        _rough(architecture),
        _rough_tower(architecture),
        _activations(architecture, counts, setup),
        _adapter(counts, adapter_bytes),
        *_missing_features(setup),
    )
    return tuple(one for one in said if one is not None)


def _beyond_context(architecture: Architecture, setup: Setup) -> Note | None:
    longest = architecture.max_context
    if not longest or setup.seq_len <= longest:
        return None
    return note("memory.beyond_context", seq_len=setup.seq_len, max_context=longest)


def _rough(architecture: Architecture) -> Note | None:
    return {
        "hybrid": note("memory.rough_hybrid"),
        "encdec": note("memory.rough_encoder_decoder"),
    }.get(architecture.arch)


def _rough_tower(architecture: Architecture) -> Note | None:
    """A vision tower whose sizes nobody listed counts by its parameters alone."""
    if not architecture.vision_params or tower_of(architecture) is not None:
        return None
    return note("memory.rough_vision")


def _activations(architecture: Architecture, counts: Counts, setup: Setup) -> Note | None:
    saved = activation_terms(architecture, counts, setup).saved
    if saved <= _OUT_OF_PROPORTION * weight_bytes(counts, setup) or setup.kind == "diffusion":
        return None
    return note("memory.activations_dominate", seq_len=setup.seq_len)


def _adapter(counts: Counts, adapter_bytes: float) -> Note | None:
    """Adapters with embeddings and head among them are saved whole, like a small model."""
    if adapter_bytes <= _LARGE_ADAPTER * 2.0 * counts.total:
        return None
    return note("memory.adapter_is_large", adapter_gib=gib(adapter_bytes))


def _missing_features(setup: Setup) -> tuple[Note, ...]:
    """What was asked for and is no option of the stack: the figure holds for whoever adds it."""
    own = setup.profile.own_features
    return tuple(
        note(
            "memory.no_option_of_stack",
            key=key,
            stack=setup.profile.stack,
            stacks=tuple(one.stack for one in every_profile() if key in one.own_features),
        )
        for key in _FEATURES
        if getattr(setup, key) and key not in own
    )
