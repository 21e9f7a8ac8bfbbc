"""Which kind of model a config.json describes: its row of model_types.csv, or the usual build."""

from collections.abc import Mapping
from typing import NamedTuple

from planner.models.architecture import Arch
from planner.models.config_fields import Fields, word
from planner.models.model_types import ModelType, Switch, model_type
from planner.notes import Note, note

#: Names that `layer_types` gives to layers without softmax attention.
_RECURRENT = ("linear_attention", "mamba", "mamba2", "recurrent", "conv")
_LAYER_NORM = ("layer_norm_eps", "layer_norm_epsilon", "layernorm_epsilon")


class Kind(NamedTuple):
    """How the model is built where the file does not say it, and its `model_type` as written."""

    row: ModelType
    is_listed: bool
    name: str

    def warnings(self, model: str) -> tuple[Note, ...]:
        """What to say about a type nobody listed."""
        if self.is_listed:
            return ()
        if not self.name:
            return (note("models.no_model_type", model=model),)
        return (note("models.unknown_model_type", model=model, model_type=self.name),)


def read_kind(config: Mapping[str, object], text: Mapping[str, object]) -> Kind:
    """The kind of the language model `text`, which is `config` or a part of it."""
    typed = word(text, "model_type") or word(config, "model_type")
    row = model_type(typed)
    return Kind(row, True, typed) if row else Kind(_usual(typed, text), False, typed)


def says_gated(fields: Fields) -> bool:
    """Whether the activation's name tells of a gate ("gated-gelu", "swiglu")."""
    activation = fields.text("activation")
    return "glu" in activation or "gated" in activation


def _usual(typed: str, text: Mapping[str, object]) -> ModelType:
    """The usual build, as far as the fields tell it."""
    fields = Fields(text)
    layer_types = text.get("layer_types")
    is_recurrent = isinstance(layer_types, list) and any(one in _RECURRENT for one in layer_types)
    has_layer_norm = "rms_norm_eps" not in text and any(name in text for name in _LAYER_NORM)
    is_gated = fields.text("activation") in ("", "silu", "swish") or says_gated(fields)
    return ModelType(
        family=typed,
        arch=_usual_arch(fields, is_recurrent),
        tied=True,  # transformers writes the flag only where it differs from its own default
        mlp="gated" if is_gated else "plain",
        bias=Switch("", bool(fields.either("bias"))),
        norm="layernorm" if has_layer_norm else "rms",
        position="rope",
        attention="linear-hybrid" if is_recurrent else None,
        mlp_ratio=None,
        ratio_field="",
        one_kv_head=Switch("multi_query", False),
        unless="",
        renames={},
        counted="rough" if is_recurrent else "exact",
        defaults={},
    )


def _usual_arch(fields: Fields, is_recurrent: bool) -> Arch:
    if is_recurrent:
        return "hybrid"
    return "encdec" if fields.flag("is_encoder_decoder") else "decoder"
