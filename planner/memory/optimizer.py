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
#: bf16 matrices of Muon's Newton-Schulz iteration: the iterate, the next one, two Gram matrices.
_MUON_COPIES = 4
_EIGHT_BIT = ("adamw-8bit", "paged-adamw-8bit")
_FP32_MOMENTS = 8
_MOMENTS = {"adamw": 2, "adamw-fused": 2, "paged-adamw": 2, "muon": 1}


def state_bytes_per_param(setup: Setup, width: int | None = None) -> float:
    """Bytes of optimizer state per trained parameter of `width` bytes, an fp32 master copy
    included.

    AdamW keeps two moments, Muon one; bitsandbytes' paged AdamW keeps them in fp32 whatever it
    trains. Adafactor's factored moments (rows + columns) are below 0.1 % and taken as 0.
    """
    master = 4.0 if setup.has_master_copy else 0.0
    if setup.optimizer in _FIXED_BYTES:
        return master + _FIXED_BYTES[setup.optimizer]
    in_fp32 = setup.optimizer_states == "fp32" or setup.optimizer == "paged-adamw"
    moment = 4 if in_fp32 else width or setup.trained_bytes
    return master + _MOMENTS[setup.optimizer] * moment


def state_bytes(
    setup: Setup,
    params: int,
    *,
    embeddings: int = 0,
    outside: int = 0,
    width: int | None = None,
) -> float:
    """Bytes of optimizer state of `params`, of which `embeddings` are embeddings and `outside` all
    that is no matrix of a layer.

    Hugging Face's Trainer asks bitsandbytes for 32-bit states of embeddings; Muon leaves what is
    outside the layers to AdamW. Tensors below 4,096 elements, which bitsandbytes keeps in 32 bits
    as well, are too small to count.
    """
    per_param = state_bytes_per_param(setup, width)
    states = params * per_param
    if setup.optimizer in _EIGHT_BIT and setup.profile.embedding_states_in_fp32:
        states += embeddings * (_FP32_MOMENTS - _FIXED_BYTES[setup.optimizer])
    if setup.optimizer == "muon":
        states += outside * per_param
    return states


def lives_on_gpu(setup: Setup) -> bool:
    """Whether the states stay in GPU memory: offloaded and paged ones can leave it."""
    return not setup.offload and not setup.optimizer.startswith("paged-")


def step_temporary_bytes(setup: Setup, trained_bytes: float, largest_tensor: float) -> float:
    """Temporaries of a step: foreach AdamW copies all trained parameters, Adafactor the largest of
    them four times in fp32, Muon its update, two bf16 iterates and two Gram matrices; fused and
    8-bit kernels none.

    Torch's default AdamW loops over parameter lists with foreach kernels, whose denominators are
    materialised for all parameters at once. A Gram matrix is taken as large as the parameter, which
    it is for square ones.
    """
    if setup.optimizer == "adamw" and not setup.optimizer_in_backward:
        return trained_bytes
    if setup.optimizer == "adafactor":
        return _ADAFACTOR_COPIES * 4.0 * largest_tensor
    if setup.optimizer == "muon":
        return (setup.trained_bytes + _MUON_COPIES * 2.0) * largest_tensor
    return 0.0
