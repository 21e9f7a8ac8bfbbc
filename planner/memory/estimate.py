"""The estimate: every term at every phase of a training step, and the phase that needs most."""

from typing import NamedTuple

from planner.errors import BadInput
from planner.memory import (
    adapters,
    host_ram,
    interval,
    logits,
    optimizer,
    overheads,
    refusals,
    sharding,
    temporary,
    warnings,
    weights,
)
from planner.memory.activation_terms import activation_terms
from planner.memory.counts import Counts, count
from planner.memory.result import Breakdown, MemoryEstimate, Phase
from planner.memory.setup import Setup, settle
from planner.memory.stacks import as_built
from planner.memory.trained import Trained, trained
from planner.models.architecture import Architecture
from planner.notes import Note
from planner.query import Training
from planner.units import gib

#: A CUDA context and its libraries at the least.
LEAST_CONTEXT_GIB = 0.5


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
    learned = trained(architecture, counts, setup)
    if learned.params == 0:
        raise BadInput(
            "memory.nothing_trained", method=setup.method, model=architecture.display_name
        )
    static = _static(counts, setup, learned)
    peak = max(_moments(architecture, counts, setup, learned), key=_Moment.total)
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
        host_ram_gib=host_ram.host_ram_gib(architecture, counts, setup, learned),
        trainable_params=learned.params,
        total_params=counts.total,
        active_params=min(counts.active, counts.total),
        evidence=interval.evidence(setup),
        assumptions=assumptions,
        warnings=warnings.warnings(architecture, counts, setup, static.adapters),
    )


def _static(counts: Counts, setup: Setup, learned: Trained) -> _Static:
    share = sharding.shares(setup)
    model = weights.weight_bytes(counts, setup) / share.weights
    added = learned.weight_bytes / share.weights if setup.base_is_frozen else 0.0
    states = learned.state_bytes / share.optimizer
    gradients = learned.weight_bytes / share.gradients
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
    architecture: Architecture, counts: Counts, setup: Setup, learned: Trained
) -> tuple[_Moment, ...]:
    """What is alive at each phase of one step, beside weights, adapters and optimizer states.

    The forward sets the peak only where a frozen vision tower needs much and keeps nothing: else
    the backward starts from all it saved. The tower comes first, so its backward comes last.
    """
    static = _static(counts, setup, learned)
    acts = activation_terms(architecture, counts, setup)
    tower = acts.tower
    saved = acts.saved + tower.saved
    head = logits.logit_bytes(architecture, counts, setup)
    whole = sharding.unsharded_gradient_bytes(counts, setup)
    stands = setup.accumulates and not setup.longest_comes_first
    standing = max(static.gradients, whole) if stands else 0.0
    talking = sharding.communication_bytes(setup, learned.weight_bytes)
    whole_units = sharding.gathered(counts, setup)
    at_head = whole_units.root + talking
    always = at_head + whole_units.layers
    step = talking + _step_bytes(architecture, counts, setup, learned)
    first = max(standing, _head_gradient(architecture, setup, learned))
    passing = always + temporary.dequantised_bytes(counts, setup)
    passing += temporary.weight_norm_bytes(architecture, setup)
    joined = sharding.joined_gradient_bytes(counts, setup)
    frozen_extra = sharding.frozen_shard_extra_bytes(counts, setup, architecture.hidden or 0)
    working, last_layer = acts.working + frozen_extra, acts.last_layer + frozen_extra
    all_gradients = max(static.gradients, whole)
    if setup.optimizer_in_backward:
        all_gradients = max(counts.largest_layer, counts.embedding) * float(setup.trained_bytes)
    in_first_layer = all_gradients - _embedding_gradient(architecture, counts, setup)
    tied = temporary.tied_gradient_bytes(architecture, counts, setup)
    at_step = static.gradients if whole else all_gradients
    return (
        _Moment("forward", standing, tower.saved + tower.forward, 0.0, always),
        _Moment("loss", standing, saved + acts.left_over, head.made, at_head),
        _Moment("loss", standing, saved, head.forward, at_head),
        _Moment("loss_backward", standing, saved, head.backward, at_head),
        _Moment("backward", first, saved + working, head.held, passing + joined),
        _Moment("backward", in_first_layer, last_layer + tower.saved, 0.0, passing + joined),
        _Moment("backward", in_first_layer, tower.saved + tower.backward, 0.0, passing),
        _Moment("backward", all_gradients, 0.0, 0.0, always + joined + tied),
        _Moment("optimizer_step", at_step, 0.0, 0.0, step),
    )


def _head_gradient(architecture: Architecture, setup: Setup, learned: Trained) -> float:
    """Bytes of the gradient that arrives first: that of the head, where it is trained and no
    optimizer consumes it.
    """
    trains = setup.method == "full" or setup.train_embeddings
    if not trains or setup.optimizer_in_backward or setup.offload or architecture.arch == "encoder":
        return 0.0
    width = setup.trained_bytes if setup.method == "full" else setup.copied_bytes
    head = float(adapters.vocabulary_matrix(architecture) * width)
    return min(head, learned.weight_bytes) / sharding.shares(setup).gradients


def _step_bytes(
    architecture: Architecture, counts: Counts, setup: Setup, learned: Trained
) -> float:
    """Temporaries of the optimizer's step on one GPU."""
    share = sharding.shares(setup).optimizer
    largest = adapters.largest_trained_tensor(architecture, counts, setup)
    return optimizer.step_temporary_bytes(setup, learned.weight_bytes / share, largest / share)


def _embedding_gradient(architecture: Architecture, counts: Counts, setup: Setup) -> float:
    """Bytes of the gradient that arrives last, when every layer is done: that of the embeddings.

    0 where it stands from the step before, is the head's as well, or is consumed as it comes.
    """
    stands = setup.accumulates or architecture.tied_embeddings or setup.optimizer_in_backward
    if setup.method != "full" or stands or setup.offload:
        return 0.0
    return counts.embedding * setup.trained_bytes / sharding.shares(setup).gradients


def on_card(found: MemoryEstimate, usable_gib: float) -> MemoryEstimate:
    """The estimate as it shows on a card that offers `usable_gib`.

    PyTorch frees cached blocks before it runs out of memory: where live tensors fit beside a CUDA
    context, neither what is reserved beside them nor the buffers of several GPUs exceed the card.
    The likely range stays that of a larger card: its high end says whether there is room.
    """
    most = usable_gib - LEAST_CONTEXT_GIB
    if found.device_gib <= usable_gib or found.allocated_gib > most:
        return found
    reserved = min(found.reserved_gib, most)
    around = {"fragmentation": reserved - found.allocated_gib, "context": usable_gib - reserved}
    return found.model_copy(
        update={
            "peak_gib": usable_gib,
            "device_gib": usable_gib,
            "reserved_gib": reserved,
            "breakdown": found.breakdown.model_copy(update=around),
        }
    )
