"""What receives gradients: how many parameters, and the bytes of their copies and states."""

from typing import NamedTuple

from planner.memory import adapters, optimizer
from planner.memory.counts import Counts
from planner.memory.setup import Setup
from planner.models.architecture import Architecture


class Trained(NamedTuple):
    """Everything trained, unsharded. `weight_bytes` are the parameters themselves, and as many
    bytes again their gradients; `state_bytes` are the optimizer's states."""

    params: int
    weight_bytes: float
    state_bytes: float

    @property
    def checkpoint_bytes(self) -> float:
        """What a resumable checkpoint holds: the trained parameters and their states."""
        return self.weight_bytes + self.state_bytes


def trained(architecture: Architecture, counts: Counts, setup: Setup) -> Trained:
    """What `setup` trains.

    Embeddings and head trained beside adapters are copies of the originals, which stay (peft's
    modules_to_save). They keep the originals' dtype, and the optimizer's states follow it, unless
    the stack trains everything in fp32.
    """
    params = adapters.trainable_params(architecture, counts, setup)
    if setup.method == "full":
        outside = params - counts.linear
        states = optimizer.state_bytes(setup, params, embeddings=counts.embedding, outside=outside)
        return Trained(params, float(params * setup.trained_bytes), states)
    copies = adapters.copied_params(architecture, setup)
    embeddings = adapters.vocabulary_matrix(architecture) if copies else 0
    own = setup._replace(optimizer_states="fp32" if setup.copied_bytes == 4 else "param")
    states = optimizer.state_bytes(setup, params - copies) + optimizer.state_bytes(
        own, copies, embeddings=embeddings, outside=copies, width=setup.copied_bytes
    )
    weights = (params - copies) * setup.trained_bytes + copies * setup.copied_bytes
    return Trained(params, float(weights), states)
