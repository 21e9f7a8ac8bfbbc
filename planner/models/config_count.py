"""How many parameters a config.json stands for: the weight files' own count, else the formula."""

from collections.abc import Mapping
from typing import NamedTuple

from planner.errors import BadInput
from planner.models.architecture import Architecture
from planner.models.config_fields import Fields
from planner.models.model_types import Counted
from planner.models.params import embedding_params, head_params, moe_layers, total_params
from planner.notes import Note, note

#: Files that hold less or more than these shares of the counted parameters hold other things.
_PLAUSIBLE = (0.5, 2.0)
_AGREES = 0.02
_MOST = 10**15


class Count(NamedTuple):
    """Parameters in all, those of the vision tower among them, and what to say about the count."""

    total: int
    vision: int | None = None
    notes: tuple[Note, ...] = ()
    warnings: tuple[Note, ...] = ()


def count_params(
    bare: Architecture, counted: Counted, vision: Mapping[str, object] | None, in_files: int | None
) -> Count:
    """The parameters of `bare`, whose own counts are not known yet.

    Within the layers' formula where `counted` is exact; `in_files` decides where it is known and
    plausible. Raises BadInput where neither can tell.
    """
    text = total_params(bare)
    if counted == "none":
        return _only_in_files(bare, in_files)
    if vision is not None:
        return _with_vision(bare, counted, text, vision, in_files)
    if in_files is None or not _PLAUSIBLE[0] <= in_files / text <= _PLAUSIBLE[1]:
        return _by_formula(bare, counted, text, in_files)
    if counted == "rough" or abs(in_files / text - 1) <= _AGREES:
        return Count(in_files)
    differ = note("models.files_differ", model=bare.hf_id, in_files=in_files, counted=text)
    return Count(in_files, warnings=(differ,))


def active_params(architecture: Architecture) -> int:
    """Parameters one token passes through: the total without the experts that are not chosen."""
    a = architecture
    idle = (a.n_experts or 0) - (a.experts_per_token or 0)
    width = a.moe_intermediate or a.intermediate or 0
    expert = (a.hidden or 0) * width * (3 if a.gated_mlp else 2)
    return max(1, a.params_total - idle * expert * moe_layers(a))


def _only_in_files(bare: Architecture, in_files: int | None) -> Count:
    outside = embedding_params(bare) + head_params(bare)
    if in_files is None or not outside < in_files < _MOST:
        raise BadInput("models.config_not_countable", name=bare.hf_id)
    return Count(in_files)


def _by_formula(bare: Architecture, counted: Counted, text: int, in_files: int | None) -> Count:
    said = (note("models.counted_by_formula", model=bare.hf_id, counted=text),)
    warnings: list[Note] = []
    if in_files is not None:
        warnings.append(
            note("models.files_implausible", model=bare.hf_id, in_files=in_files, counted=text)
        )
    if counted == "rough":
        warnings.append(note("models.counted_roughly", model=bare.hf_id))
    return Count(text, notes=said, warnings=tuple(warnings))


def _with_vision(
    bare: Architecture,
    counted: Counted,
    text: int,
    vision: Mapping[str, object],
    in_files: int | None,
) -> Count:
    """The vision tower is what the files hold beside the text part, else counted by its sizes."""
    if in_files is not None and text < in_files <= text * _PLAUSIBLE[1]:
        return Count(in_files, vision=in_files - text)
    tower = _tower_params(Fields(vision))
    by_formula = _by_formula(bare, counted, text + (tower or 0), in_files)
    if tower is None:
        said = note("models.vision_not_counted", model=bare.hf_id)
    else:
        said = note("models.vision_counted_roughly", model=bare.hf_id, tower=tower)
    return by_formula._replace(vision=tower, warnings=(*by_formula.warnings, said))


def _tower_params(fields: Fields) -> int | None:
    """Parameters of an ordinary vision transformer: 4 H^2 + 2 H I per layer, 4 H for I unsaid."""
    layers, hidden = fields.size("vision_layers"), fields.size("vision_hidden")
    if layers is None or hidden is None:
        return None
    width = fields.size("vision_intermediate") or 4 * hidden
    return layers * (4 * hidden * hidden + 2 * hidden * width)
