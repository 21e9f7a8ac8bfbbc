"""Short-lived tensors beside activations, gradients and logits."""

from planner.memory.counts import Counts
from planner.memory.setup import Setup
from planner.models.architecture import Architecture
from planner.models.lora import adapted_linears

_NORM_COPIES = 6.0


def dequantised_bytes(counts: Counts, setup: Setup) -> float:
    """The largest linear layer as a temporary: quantised weights are expanded one at a time."""
    return setup.profile.dequantised_bytes * counts.largest_linear * setup.base_is_quantised


def dequantised_head_bytes(counts: Counts, setup: Setup) -> float:
    """The head as such a temporary, where the stack quantises it too."""
    if not (setup.base_is_quantised and setup.profile.quantises_head):
        return 0.0
    return setup.profile.dequantised_bytes * counts.head


def weight_norm_bytes(architecture: Architecture, setup: Setup) -> float:
    """What DoRA needs to norm the largest adapted weight with its adapter added: about six copies
    of it in the adapters' dtype. PyTorch on fake tensors (Llama-3.1-8B): 5.7 to 6.1. The measured
    diffusion runs do not show it.
    """
    if setup.method != "dora" or architecture.arch == "diffusion":
        return 0.0
    adapted = adapted_linears(architecture, setup.lora_targets)
    largest = max((one.in_features * one.out_features for one in adapted), default=0)
    return _NORM_COPIES * setup.trained_bytes * largest


def tied_gradient_bytes(architecture: Architecture, counts: Counts, setup: Setup) -> float:
    """What the gradient of embeddings that are also the head needs beside itself.

    Autograd holds the head's gradient through the whole backward, makes the embeddings' and adds
    them into a third: two vocabulary x hidden matrices more than the gradient kept, three where an
    accumulated one stands as well. Exact against PyTorch on fake tensors (Llama-3.2-1B).
    """
    if setup.method != "full" or not architecture.tied_embeddings:
        return 0.0
    matrices = 3.0 if setup.accumulates else 2.0
    return matrices * counts.embedding * setup.trained_bytes
