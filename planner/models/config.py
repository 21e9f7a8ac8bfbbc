"""A Hugging Face config.json as an Architecture, by its own fields.

What a file leaves out is what its `model_type` assumes (data/model_types.csv). A type nobody listed
is read by the usual names, and the answer says so. The parameters come from the weight files'
metadata where that is known, else from the formula of planner.models.params.
"""

from collections.abc import Mapping

from planner.errors import BadInput
from planner.models.architecture import Architecture
from planner.models.config_count import active_params, count_params
from planner.models.config_fields import Fields, nested
from planner.models.config_kind import Kind, read_kind
from planner.models.config_shape import Shape, read_shape
from planner.models.params import NOT_COVERED
from planner.models.quantised import weights_stored
from planner.models.registry import Resolved

#: Where a multimodal config keeps its language model, and its tower.
_TEXT_PARTS = ("text_config", "llm_config", "language_config")
_VISION_PARTS = ("vision_config", "vision_tower_config")
#: A class's own sizes hold only for a part of a larger config, which is stored as what differs.
_NEEDED = frozenset({"layers", "hidden", "heads", "vocab", "intermediate"})


def architecture_from_config(
    config: object, name: str, params_in_files: int | None = None
) -> Resolved:
    """The architecture that a parsed config.json describes, called `name`.

    `params_in_files` is what the metadata of the weight files counts, where it is known. Raises
    BadInput where a needed field is missing or no size a model can have.
    """
    if not isinstance(config, dict):
        raise BadInput("models.config_not_object", name=name)
    text = nested(config, *_TEXT_PARTS) or config
    vision = nested(config, *_VISION_PARTS)
    kind = read_kind(config, text)
    defaults = kind.row.defaults
    if text is config:
        defaults = {field: size for field, size in defaults.items() if field not in _NEEDED}
    fields = Fields(text, kind.row.renames, defaults)
    bare = _bare(name, kind, read_shape(name, kind, fields), _is_tied(kind, config, text))
    if vision is not None:
        bare = bare.model_copy(update={"arch": "vlm"})
    stored = weights_stored(config, name)
    in_files = params_in_files
    if stored or (fields.size("predicted_layers") and kind.row.counted == "exact"):
        in_files = None  # packed weights, or layers that no training loads
    counted = count_params(bare, kind.row.counted, vision, in_files)
    whole = bare.model_copy(update={"params_total": counted.total, "vision_params": counted.vision})
    return Resolved(
        whole.model_copy(update={"params_active": active_params(whole)}),
        (*(stored.notes if stored else ()), *counted.notes),
        stored.base_dtype if stored else None,
        (*kind.warnings(name), *counted.warnings),
    )


def _is_tied(kind: Kind, config: Mapping[str, object], text: Mapping[str, object]) -> bool:
    """Whether head and embeddings are one: the whole model's word counts before its part's."""
    said = (Fields(config).either("tied"), Fields(text).either("tied"), kind.row.tied)
    return next(value for value in said if value is not None)


def _bare(name: str, kind: Kind, shape: Shape, is_tied: bool) -> Architecture:
    """The architecture before its parameters are counted."""
    return Architecture(
        hf_id=name,
        family=kind.row.family,
        display_name=name.rpartition("/")[2] or name,
        aliases=(),
        params_total=1,
        params_active=1,
        tied_embeddings=is_tied,
        vision_params=None,
        released=None,
        source="config.json",
        confidence="config",
        remark=None if kind.row.counted == "exact" else NOT_COVERED,
        model_type=kind.name or None,
        **shape._asdict(),
    )
