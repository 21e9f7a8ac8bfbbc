"""Activations of every kind of model, as the phases of a step need them."""

from typing import NamedTuple

from planner.memory import activations
from planner.memory.counts import Counts
from planner.memory.diffusion_activations import block_activations
from planner.memory.setup import Setup
from planner.memory.vision import TowerBytes, tower_bytes
from planner.models.architecture import Architecture


class ActivationTerms(NamedTuple):
    """Bytes on one GPU: kept by the layers for the backward, what one layer needs beside them while
    it is computed, what the last layer of the backward needs alone, what the forward leaves until
    the loss, and the vision tower's own."""

    saved: float
    working: float
    last_layer: float
    left_over: float
    tower: TowerBytes


def activation_terms(architecture: Architecture, counts: Counts, setup: Setup) -> ActivationTerms:
    """What the layers of a language model, with its vision tower, or of a diffusion model need."""
    tower = tower_bytes(architecture, setup)
    if architecture.arch == "diffusion":
        blocks = block_activations(architecture, counts, setup)
        return ActivationTerms(*blocks, left_over=0.0, tower=tower)
    return ActivationTerms(
        saved=activations.saved_bytes(architecture, counts, setup),
        working=activations.working_bytes(architecture, counts, setup),
        last_layer=activations.layer_bytes(architecture, counts, setup),
        left_over=activations.left_over_bytes(architecture, counts, setup),
        tower=tower,
    )
