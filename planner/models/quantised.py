"""What `quantization_config` in a config.json says about how the weights are stored."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple, cast

from planner.data_files import read_rows
from planner.models.config_fields import nested, word
from planner.notes import Note, note
from planner.query import BaseDtype


class Stored(NamedTuple):
    """Weights in fewer bits: the type to train on, None where no planned stack trains on it."""

    base_dtype: BaseDtype | None
    notes: tuple[Note, ...]


def weights_stored(config: Mapping[str, object], name: str) -> Stored | None:
    """How the weights are stored; None where they are whole."""
    said = nested(config, "quantization_config", "compression_config")
    if said is None:
        return None
    method = word(said, "quant_method") or "?"
    base_dtype = _known().get((method, _bits(said)))
    if base_dtype is None:
        return Stored(None, (note("models.stored_as", model=name, weights=method),))
    return Stored(base_dtype, (note("models.stored_in", model=name, base_dtype=base_dtype),))


def _bits(said: Mapping[str, object]) -> str:
    if said.get("load_in_4bit") is True:
        return "4"
    if said.get("load_in_8bit") is True:
        return "8"
    bits = said.get("bits")
    return str(bits) if bits in (4, 8) else ""


@cache
def _known() -> dict[tuple[str, str], BaseDtype]:
    return {
        (row["quant_method"], row["bits"]): cast(BaseDtype, row["base_dtype"])
        for row in read_rows("planner.models", "quantisations.csv")
    }
