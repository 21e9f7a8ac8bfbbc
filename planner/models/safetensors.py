"""How many parameters the metadata of safetensors files count. Packed weights tell nothing."""

import math
from collections.abc import Mapping
from typing import TypeGuard

from planner.models.config_fields import nested

#: Element types of whole weights; every other type is a packed one, a scale or a buffer.
_WHOLE = frozenset({"F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2"})
_BYTES = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "float8_e4m3fn": 1,
}  # fmt: skip
#: Buffers such as position ids are fewer than this share of all elements.
_MOST_BUFFERS = 0.01
_MOST = 10**15


def params_by_dtype(counts: Mapping[str, object]) -> int | None:
    """Parameters from the elements of each type; None where many of them are packed."""
    sizes = {dtype: size for dtype, size in counts.items() if _is_count(size)}
    whole = sum(size for dtype, size in sizes.items() if dtype in _WHOLE)
    others = sum(sizes.values()) - whole
    return whole if whole and others <= _MOST_BUFFERS * whole else None


def params_in_index(index: object, config: Mapping[str, object]) -> int | None:
    """Parameters by a model.safetensors.index.json: counted there, else by its size in bytes.

    The bytes tell only with the type that `config` says the weights are stored in.
    """
    said = nested(index, "metadata") if isinstance(index, dict) else None
    if said is None:
        return None
    counted, size = said.get("total_parameters"), said.get("total_size")
    if _is_count(counted):
        return counted
    width = _BYTES.get(_stored_dtype(config))
    return size // width if width and _is_count(size) else None


def elements_by_dtype(header: object) -> dict[str, int] | None:
    """The elements of each type in one safetensors file, by its header; None for no header."""
    if not isinstance(header, dict):
        return None
    found: dict[str, int] = {}
    for name, tensor in header.items():
        if name == "__metadata__":
            continue
        shape = tensor.get("shape") if isinstance(tensor, dict) else None
        if not isinstance(shape, list) or not all(_is_count(size, 0) for size in shape):
            return None
        dtype = str(tensor.get("dtype"))
        found[dtype] = found.get(dtype, 0) + math.prod(shape)
    return found


def _stored_dtype(config: Mapping[str, object]) -> str:
    for part in (config, nested(config, "text_config") or {}):
        for name in ("torch_dtype", "dtype"):
            dtype = part.get(name)
            if isinstance(dtype, str):
                return dtype.removeprefix("torch.")
    return ""


def _is_count(value: object, least: int = 1) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= _MOST
