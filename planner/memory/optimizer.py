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
#: fp32 copies of one parameter that Adafactor makes while it updates it: gradient, parameter,
#: update and their product.
_ADAFACTOR_COPIES = 4
_MOMENTS = {"adamw": 2, "adamw-fused": 2, "paged-adamw": 2, "muon": 1}


def state_bytes_per_param(setup: Setup, width: float | None = None) -> float:
    """Bytes of optimizer state per trained parameter of `width` bytes, an fp32 master copy
    included.

    AdamW keeps two moments, Muon one. Adafactor's factored moments (rows + columns) are below 0.1
    % and taken as 0.
    """
    master = 4.0 if setup.has_master_copy else 0.0
    if setup.optimizer in _FIXED_BYTES:
        return master + _FIXED_BYTES[setup.optimizer]
    own = setup.trained_bytes if width is None else width
    return master + _MOMENTS[setup.optimizer] * (4 if setup.optimizer_states == "fp32" else own)


def lives_on_gpu(setup: Setup) -> bool:
    """Whether the states stay in GPU memory: offloaded and paged ones can leave it."""
    return not setup.offload and not setup.optimizer.startswith("paged-")


def step_temporary_bytes(setup: Setup, trained_bytes: float, largest_tensor: float) -> float:
    """Temporaries of a step: foreach AdamW copies all trained parameters, Adafactor the largest of
    them four times in fp32, fused kernels none.

    Torch's default AdamW loops over parameter lists with foreach kernels, whose denominators are
    materialised for all parameters at once.
    """
    if setup.optimizer == "adamw" and not setup.optimizer_in_backward:
        return trained_bytes
    if setup.optimizer == "adafactor":
        return _ADAFACTOR_COPIES * 4.0 * largest_tensor
    return 0.0
