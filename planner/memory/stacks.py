"""A training stack as a profile of defaults: data, never a branch in a formula."""

import re
from functools import cache
from typing import Literal, NamedTuple

from planner.data_files import read_rows
from planner.models.architecture import Architecture
from planner.models.params import head_params
from planner.query import (
    Attention,
    BaseDtype,
    Checkpointing,
    Loss,
    Method,
    Optimizer,
    Precision,
    Sharding,
    Stack,
)

Layout = Literal["single", "several"]
_NUMBERS = (
    "output_bytes", "dequantised_bytes", "frozen_shard_bytes", "frozen_gathered_layers",
    "adapter_working_bytes", "zero_buffers_gib", "compiled_activations",
)  # fmt: skip
_FLAGS = (
    "kbit_preparation", "outputs_outlive_step", "accumulates", "unsharded_accumulation",
    "unties_embeddings", "quantises_head", "chunked_output_keeps_logits",
)  # fmt: skip

_SUPPORT_FLAGS = ("bottleneck_adapter", "copies_in_fp32", "embedding_states_in_fp32")


class StackProfile(NamedTuple):
    """What a stack does unless told otherwise.

    model_code                  whose model code runs: it decides what autograd keeps
    outputs_held_from           the release from which the caller keeps the model's outputs through
                                the backward ("transformers 4.46"), or "never"
    inputs_kept_before          the release of bitsandbytes before which quantised linears keep what
                                goes into them, or "never"
    outputs_outlive_step        whether the loop holds the outputs of a micro-batch, and with them
                                the graph that made them, until it has those of the next
    longest_first_before        the release before which the longest sample comes first: nothing of
                                an earlier micro-batch then stands beside one as long
    accumulates                 whether micro-batches add up to a step where nobody says otherwise
    unsharded_accumulation      whether FSDP adds their gradients up whole, before it shards them
                                (no_sync), and so for whole units, frozen parameters included
    unties_embeddings           whether the head has its own copy of embeddings that share it
    quantises_head              whether the head is quantised as the layers are
    chunked_output_keeps_logits    whether a head in chunks still gives the caller all its logits
    output_bytes                what the caller keeps per logit
    dequantised_bytes           per weight while a quantised linear is expanded: 2 in the compute
                                dtype, 4 where it comes in another and is cast
    frozen_shard_bytes          what FSDP adds per token, layer and hidden unit to a frozen base
    frozen_gathered_layers      layers of a frozen base that it holds whole at once
    adapter_working_bytes       what adapters add to a recomputed layer's work, per token and hidden
                                unit
    zero_buffers_gib            what DeepSpeed's buckets take under ZeRO
    compiled_activations        share of the activations that torch.compile leaves
    methods, quantised_bases    what it trains, and on which quantised weights
    own_features                estimate keys that are options of its own
    bottleneck_adapter          whether its adapters are bottlenecks, not LLaMA-Adapter's prompts
    copies_in_fp32              whether embeddings and head trained beside adapters are cast to fp32
    embedding_states_in_fp32    whether 8-bit optimizers keep 32-bit states of embeddings
    """

    stack: Stack
    model_code: str
    full_precision: Precision
    adapter_precision: Precision
    kbit_preparation: bool
    optimizer: Optimizer
    loss: Loss
    attention: Attention
    checkpointing: Checkpointing
    outputs_held_from: str
    inputs_kept_before: str
    outputs_outlive_step: bool
    longest_first_before: str
    accumulates: bool
    unsharded_accumulation: bool
    unties_embeddings: bool
    quantises_head: bool
    chunked_output_keeps_logits: bool
    output_bytes: float
    dequantised_bytes: float
    frozen_shard_bytes: float
    frozen_gathered_layers: float
    adapter_working_bytes: float
    zero_buffers_gib: float
    compiled_activations: float
    source: str
    methods: tuple[Method, ...]
    quantised_bases: tuple[BaseDtype, ...]
    own_features: tuple[str, ...]
    bottleneck_adapter: bool
    copies_in_fp32: bool
    embedding_states_in_fp32: bool


class Overheads(NamedTuple):
    """What stands around the tensors of one stack on one or several GPUs.

    context_gib       what nvidia-smi shows beyond PyTorch's reserved memory: CUDA context,
                      libraries, NCCL between GPUs
    reserved_ratio    reserved / allocated memory, beside what logits leave
    bytes_per_logit   reserved and unused, per logit of a micro-batch that comes and goes
    varying_bytes_per_logit    the same where the lengths of batches vary
    """

    context_gib: float
    reserved_ratio: float
    bytes_per_logit: float
    varying_bytes_per_logit: float


@cache
def _profiles() -> dict[str, StackProfile]:
    found = {}
    for row in read_rows("planner.memory", "stacks.csv"):
        fields: dict[str, object] = {
            key: value == "y" if key in _FLAGS else value for key, value in row.items()
        }
        for key in _NUMBERS:
            fields[key] = float(row[key])
        fields |= _support()[row["stack"]]
        found[row["stack"]] = StackProfile(**fields)  # type: ignore[arg-type]  # checked by a test
    return found


@cache
def _support() -> dict[str, dict[str, object]]:
    lists, flags = ("methods", "quantised_bases", "own_features"), _SUPPORT_FLAGS
    return {
        row["stack"]: {key: tuple(filter(None, row[key].split(";"))) for key in lists}
        | {key: row[key] == "y" for key in flags}
        for row in read_rows("planner.memory", "support.csv")
    }


def profile(stack: Stack) -> StackProfile:
    """The profile of `stack`."""
    return _profiles()[stack]


@cache
def _overheads() -> dict[tuple[str, str], Overheads]:
    return {
        (row["stack"], row["layout"]): Overheads(*(float(row[name]) for name in Overheads._fields))
        for row in read_rows("planner.memory", "overheads.csv")
    }


def layout(gpus: int, sharding: Sharding) -> Layout:
    """Whether GPUs talk to each other: on a naive device map they only pass layers' outputs on."""
    return "several" if gpus > 1 and sharding != "device_map" else "single"


def overheads(stack: Stack, where: Layout) -> Overheads:
    """The figures of the stack where its runs tell them, else of all stacks together."""
    table = _overheads()
    return table.get((stack, where)) or table["*", where]


def every_profile() -> tuple[StackProfile, ...]:
    """All profiles, in the order of the file."""
    return tuple(_profiles().values())


def as_built(architecture: Architecture, stack: StackProfile) -> Architecture:
    """`architecture` as the stack's model code builds it: with a head of its own where it unties
    embeddings that are the head as well."""
    if not (stack.unties_embeddings and architecture.tied_embeddings):
        return architecture
    untied = architecture.model_copy(update={"tied_embeddings": False})
    head = head_params(untied)
    return untied.model_copy(
        update={
            "params_total": architecture.params_total + head,
            "params_active": architecture.params_active + head,
        }
    )


def is_at_least(version: str | None, wanted: str) -> bool:
    """Whether a version text ("transformers 4.45.2, torch 2.4") names `wanted` or a later release.

    `wanted` may name several, separated by ";": the first whose library the text names decides;
    "year 2025" reads a year. A text that names none is taken as the newest. "never" is never
    reached.
    """
    for one in wanted.split(";"):
        library, _, release = one.strip().partition(" ")
        if not release:
            return False
        said = re.search(_pattern(library), version or "", re.IGNORECASE)
        if said is not None:
            least = [int(part) for part in release.split(".")]
            return [int(part) for part in said[1].split(".")][: len(least)] >= least
    return True


def _pattern(library: str) -> str:
    if library == "year":
        return r"\b(20[0-9]{2})\b"
    return rf"\b{re.escape(library)}[ =v]*([0-9]+\.[0-9]+)"


def is_before(version: str | None, wanted: str) -> bool:
    """Whether a version text names a release of `wanted`'s libraries that came before."""
    return wanted != "never" and not is_at_least(version, wanted)
