"""What a `model_type` says beyond the fields of a config.json: rows of data/model_types.csv."""

from functools import cache
from typing import Literal, NamedTuple, cast

from planner.data_files import read_rows
from planner.models.architecture import Arch, AttentionKind

Mlp = Literal["gated", "plain", "by_name"]
#: exact: by the formula within 1 %; rough: further off; none: the files alone can tell.
Counted = Literal["exact", "rough", "none"]


class Switch(NamedTuple):
    """A yes or no that a config may state under `field`; `default` where it does not."""

    field: str
    default: bool


class ModelType(NamedTuple):
    """How one `model_type` is built where its config.json does not say it.

    `tied` is the class's default for tied embeddings; `bias` that of queries, keys and values;
    `mlp_ratio` the MLP's width in hidden sizes where the file gives none (itself under
    `ratio_field`); `one_kv_head` the switch of multi-query attention, which the flag `unless`
    overrules; `counted` how well the formula counts the parameters.
    """

    family: str
    arch: Arch
    tied: bool
    mlp: Mlp
    bias: Switch
    norm: str
    position: str
    attention: AttentionKind | None
    mlp_ratio: int | None
    ratio_field: str
    one_kv_head: Switch | None
    unless: str
    renames: dict[str, str]
    counted: Counted
    defaults: dict[str, int]


def model_type(name: str) -> ModelType | None:
    """The row of a `model_type`; None for one nobody listed."""
    row = _rows().get(name)
    return _from_row(row) if row else None


@cache
def _rows() -> dict[str, dict[str, str]]:
    return {row["model_type"]: row for row in read_rows("planner.models", "model_types.csv")}


def _from_row(row: dict[str, str]) -> ModelType:
    ratio_field, _, ratio = row["mlp_ratio"].rpartition("=")
    return ModelType(
        family=row["family"],
        arch=cast(Arch, row["arch"]),
        tied=row["tied"] == "y",
        mlp=cast(Mlp, row["mlp"]),
        bias=_switch(row["bias"]),
        norm=row["norm"],
        position=row["position"],
        attention=cast(AttentionKind | None, row["attention"] or None),
        mlp_ratio=int(ratio) if ratio else None,
        ratio_field=ratio_field,
        one_kv_head=_switch(row["one_kv_head"]) if row["one_kv_head"] else None,
        unless=row["unless"],
        renames=_pairs(row["renames"]),
        counted=cast(Counted, row["counted"]),
        defaults={field: int(size) for field, size in _pairs(row["class_defaults"]).items()},
    )


def _switch(cell: str) -> Switch:
    """ "attention_bias=n" as a switch; "y" as one that no field changes."""
    field, _, default = cell.rpartition("=")
    return Switch(field, default == "y")


def _pairs(cell: str) -> dict[str, str]:
    split = (pair.partition("=") for pair in cell.split(";") if pair)
    return {field: value for field, _, value in split}
