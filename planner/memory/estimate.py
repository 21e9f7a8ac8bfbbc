"""The estimate: every term at every phase of a training step, and the phase that needs most."""

from typing import NamedTuple

from planner.errors import BadInput
from planner.memory import (
    activations,
    adapters,
    host_ram,
    interval,
    logits,
    optimizer,
    overheads,
    refusals,
    sharding,
    temporary,
    weights,
)
from planner.memory.counts import Counts, count
from planner.memory.result import Breakdown, MemoryEstimate, Phase
from planner.memory.setup import Setup, settle
from planner.memory.stacks import as_built
from planner.models.architecture import Architecture
from planner.notes import Note, note
from planner.query import Training
from planner.units import gib


class _Static(NamedTuple):
    """Bytes that stand through the whole step on one GPU."""

    weights: float
    adapters: float
    optimizer: float
    gradients: float


class _Moment(NamedTuple):
    """Bytes alive beside the static ones at one phase."""

    phase: Phase
    gradients: float
    activations: float
    logits: float
    temporary: float

    def total(self) -> float:
        return self.gradients + self.activations + self.logits + self.temporary


def estimate(
    architecture: Architecture, asked: Training, *, gpus: int = 1, nodes: int = 1
) -> MemoryEstimate:
    """Memory per GPU of training `architecture` as `asked` on `gpus` GPUs, spread over `nodes`
    nodes.

    Raises BadInput for what no formula here covers.
    """
    if gpus < 1 or nodes < 1 or gpus % nodes:
        raise BadInput("memory.gpus_and_nodes", gpus=gpus, nodes=nodes)
    refusals.refuse_unsupported(architecture, asked)
    settled = settle(architecture, asked, gpus=gpus, nodes=nodes)
    built = as_built(architecture, settled.setup.profile)
    return estimate_setup(built, count(built), settled.setup, settled.assumptions)


def estimate_setup(
    architecture: Architecture, counts: Counts, setup: Setup, assumptions: tuple[Note, ...] = ()
) -> MemoryEstimate:
    """Memory per GPU of a settled job: the maximum over the phases of one step."""
    trained = adapters.trainable_params(architecture, counts, setup)
    static = _static(architecture, counts, setup, trained)
    peak = max(_moments(architecture, counts, setup, trained), key=_Moment.total)
    base = static.weights + static.adapters + static.optimizer
    allocated = base + peak.total()
    slack = overheads.slack_bytes(allocated, setup.tokens * (architecture.vocab or 0), setup)
    context = overheads.context_bytes(setup)
    device = allocated + slack + context
    low, high = interval.around(interval.Needed(allocated, slack, context, base), setup)
    return MemoryEstimate(
        peak_gib=gib(device),
        low_gib=gib(low),
        high_gib=gib(high),
        breakdown=Breakdown(
            weights=gib(static.weights),
            adapters=gib(static.adapters),
            gradients=gib(peak.gradients),
            optimizer=gib(static.optimizer),
            activations=gib(peak.activations),
            logits=gib(peak.logits),
            temporary=gib(peak.temporary),
            context=gib(context),
            fragmentation=gib(slack),
        ),
        static_gib=gib(base + (static.gradients if setup.accumulates else 0.0)),
        allocated_gib=gib(allocated),
        reserved_gib=gib(allocated + slack),
        device_gib=gib(device),
        peak_phase=peak.phase,
        host_ram_gib=host_ram.host_ram_gib(counts, setup, trained),
        trainable_params=trained,
        total_params=counts.total,
        active_params=counts.active,
        evidence=interval.evidence(setup),
        assumptions=assumptions,
        warnings=_warnings(architecture, setup, counts),
    )


def _static(architecture: Architecture, counts: Counts, setup: Setup, trained: int) -> _Static:
    share = sharding.shares(setup)
    model = weights.weight_bytes(counts, setup) / share.weights
    added = trained * setup.trained_bytes / share.weights if setup.base_is_frozen else 0.0
    states = trained * optimizer.state_bytes_per_param(setup) / share.optimizer
    gradients = trained * setup.trained_bytes / share.gradients
    if setup.offload:
        if setup.sharding in ("fsdp", "zero3"):
            model = 0.0
        gradients = 0.0
    return _Static(
        weights=model,
        adapters=added,
        optimizer=states if optimizer.lives_on_gpu(setup) else 0.0,
        gradients=gradients,
    )


def _moments(
    architecture: Architecture, counts: Counts, setup: Setup, trained: int
) -> tuple[_Moment, ...]:
    """What is alive at each phase of one step, beside weights, adapters and optimizer states.

    The layers' forward never sets the peak: the backward starts from all it saved.
    """
    static = _static(architecture, counts, setup, trained)
    saved = activations.saved_bytes(architecture, counts, setup)
    working = activations.working_bytes(architecture, counts, setup)
    last_layer = activations.layer_bytes(architecture, counts, setup)
    left = activations.left_over_bytes(architecture, counts, setup)
    head = logits.logit_bytes(architecture, counts, setup)
    whole = sharding.unsharded_gradient_bytes(counts, setup)
    stands = setup.accumulates and not setup.longest_comes_first
    standing = max(static.gradients, whole) if stands else 0.0
    talking = sharding.communication_bytes(counts, setup, trained)
    whole_units = sharding.gathered(counts, setup)
    at_head = whole_units.root + talking
    always = at_head + whole_units.layers
    passing = always + temporary.dequantised_bytes(counts, setup)
    joined = sharding.joined_gradient_bytes(counts, setup)
    frozen_extra = sharding.frozen_shard_extra_bytes(counts, setup, architecture.hidden or 0)
    all_gradients = max(static.gradients, whole)
    if setup.optimizer_in_backward:
        all_gradients = max(counts.largest_layer, counts.embedding) * float(setup.trained_bytes)
    in_first_layer = all_gradients - _embedding_gradient(architecture, counts, setup)
    tied = temporary.tied_gradient_bytes(architecture, counts, setup)
    at_step = static.gradients if whole else all_gradients
    return (
        _Moment("loss", standing, saved + left, head.made, at_head),
        _Moment("loss", standing, saved, head.forward, at_head),
        _Moment("loss_backward", standing, saved, head.backward, at_head),
        _Moment("backward", standing, saved + working + frozen_extra, head.held, passing + joined),
        _Moment("backward", in_first_layer, last_layer + frozen_extra, 0.0, passing + joined),
        _Moment("backward", all_gradients, 0.0, 0.0, always + joined + tied),
        _Moment("optimizer_step", at_step, 0.0, 0.0, talking + _step_bytes(counts, setup, trained)),
    )


def _step_bytes(counts: Counts, setup: Setup, trained: int) -> float:
    """Temporaries of the optimizer's step on one GPU."""
    share = sharding.shares(setup).optimizer
    largest = adapters.largest_trained_tensor(counts, setup)
    return optimizer.step_temporary_bytes(setup, trained / share, largest / share)


def _embedding_gradient(architecture: Architecture, counts: Counts, setup: Setup) -> float:
    """Bytes of the gradient that arrives last, when every layer is done: that of the embeddings.

    0 where it stands from the step before, is the head's as well, or is consumed as it comes.
    """
    stands = setup.accumulates or architecture.tied_embeddings or setup.optimizer_in_backward
    if setup.method != "full" or stands or setup.offload:
        return 0.0
    return counts.embedding * setup.trained_bytes / sharding.shares(setup).gradients


def _warnings(architecture: Architecture, setup: Setup, counts: Counts) -> tuple[Note, ...]:
    found: list[Note] = []
    if architecture.max_context and setup.seq_len > architecture.max_context:
        found.append(
            note(
                "memory.beyond_context",
                seq_len=setup.seq_len,
                max_context=architecture.max_context,
            )
        )
    rough = {
        "hybrid": note("memory.rough_hybrid"),
        "vlm": note("memory.rough_vision"),
        "encdec": note("memory.rough_encoder_decoder"),
    }
    if architecture.arch in rough:
        found.append(rough[architecture.arch])
    if activations.saved_bytes(architecture, counts, setup) > 3 * weights.weight_bytes(
        counts, setup
    ):
        found.append(note("memory.activations_dominate", seq_len=setup.seq_len))
    return tuple(found)
