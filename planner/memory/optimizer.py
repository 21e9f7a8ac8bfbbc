"""Optimizer states, and what a step needs beside them."""

from planner.memory.setup import Setup

#: Bytes of state per trained parameter where they do not follow a dtype: two 8-bit moments plus
#: fp32 block maxima per 256, two 4-bit moments plus maxima per 128, nothing for SGD without
#: momentum.
_FIXED_BYTES = {
    "adamw-8bit": 2 + 2 * 4 / 256,
    "paged-adamw-8bit": 2 + 2 * 4 / 256,
    "adamw-4bit": 1 + 2 * 4 / 128,
    "adafactor": 0.0,
    "sgd": 0.0,
}
_MOMENTS = {"adamw": 2, "adamw-fused": 2, "paged-adamw": 2, "muon": 1}


def state_bytes_per_param(setup: Setup) -> float:
    """Bytes of optimizer state per trained parameter, an fp32 master copy included.

    AdamW keeps two moments, Muon one. Adafactor's factored moments (rows + columns) are below 0.1
    % and taken as 0.
    """
    master = 4.0 if setup.has_master_copy else 0.0
    if setup.optimizer in _FIXED_BYTES:
        return master + _FIXED_BYTES[setup.optimizer]
    width = 4 if setup.optimizer_states == "fp32" else setup.trained_bytes
    return master + _MOMENTS[setup.optimizer] * width


def lives_on_gpu(setup: Setup) -> bool:
    """Whether the states stay in GPU memory: offloaded and paged ones can leave it."""
    return not setup.offload and not setup.optimizer.startswith("paged-")


def step_temporary_bytes(setup: Setup, trained_params: float) -> float:
    """Temporaries of torch's foreach AdamW: one copy of the trained parameters; fused kernels need
    none.

    Torch's default AdamW loops over parameter lists with foreach kernels, whose denominators are
    materialised for all parameters at once.
    """
    if setup.optimizer == "adamw" and not setup.optimizer_in_backward:
        return trained_params * setup.trained_bytes
    return 0.0
