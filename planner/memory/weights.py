"""Memory of the model's weights."""

from planner.memory.counts import Counts
from planner.memory.setup import (
    DOUBLE_QUANT_BYTES_PER_PARAM,
    EXPERTS_ONLY,
    MADE_AT_LOADING,
    QUANTISED_BYTES_PER_PARAM,
    Setup,
)

_PLAIN_BYTES = {"bf16": 2, "fp16": 2, "fp32": 4, "fp32-amp-fp16": 4}


def published_bytes(counts: Counts, setup: Setup) -> float:
    """Bytes of the checkpoint that is downloaded: 16 bits a parameter, or a ready-made quantised
    copy.
    """
    if setup.base_is_quantised and setup.base_dtype not in MADE_AT_LOADING:
        return weight_bytes(counts, setup._replace(kbit_preparation=False))
    return 2.0 * counts.total


def weight_bytes(counts: Counts, setup: Setup) -> float:
    """Bytes of all weights on an unsharded GPU.

    total params x bytes, where a quantised base stores its linear layers (in some stacks the head
    too) at the quantised width, block constants included, and keeps embeddings, head and norms at 2
    bytes, or at 4 after k-bit preparation. What is quantised while it loads includes the linears of
    a vision or audio tower; ready-made copies quantise the language model alone. Full fine-tuning
    under autocast keeps fp32 weights. Mixture-of-experts models count every expert; MXFP4 stores
    the experts' matrices alone. Agrees with PyTorch on fake tensors to 0.1 % for Llama-like models.
    """
    if not setup.base_is_quantised:
        if not setup.base_is_frozen:
            return counts.total * setup.trained_bytes
        return counts.total * _PLAIN_BYTES[setup.base_dtype]
    per_param = (
        DOUBLE_QUANT_BYTES_PER_PARAM
        if setup.double_quant
        else QUANTISED_BYTES_PER_PARAM[setup.base_dtype]
    )
    kept_bytes = 4 if setup.kbit_preparation else 2
    quantised = counts.experts if setup.base_dtype == EXPERTS_ONLY else counts.linear
    quantised += counts.head if setup.profile.quantises_head else 0
    quantised += counts.tower if setup.base_dtype in MADE_AT_LOADING else 0
    return quantised * per_param + (counts.total - quantised) * kept_bytes
