"""Which linears a `lora_targets` value means, and how a family stores them.

Families that fuse several linears into one (Qwen 1's c_attn, Phi-3's gate_up_proj) get one adapter
for the fused module, which is smaller than one adapter for each of its parts.
"""

from dataclasses import replace
from functools import cache

from planner.data_files import read_rows
from planner.models.architecture import Architecture
from planner.models.params import Linear, canonical_linear, layer_linears

_PACKAGE = "planner.models"


def native_linears(architecture: Architecture) -> tuple[Linear, ...]:
    """The layers' linears as the family's code stores them: fused ones as one, by its name."""
    linears = layer_linears(architecture)
    for module, parts in _fused(architecture.hf_id, architecture.model_type):
        linears = _fuse(linears, module, parts)
    return linears


def adapted_linears(architecture: Architecture, targets: str) -> tuple[Linear, ...]:
    """The linears that get a LoRA adapter: "all-linear", "attention" or a comma list of names.

    A part named alone ("q_proj" in a fused family) counts as an adapter of that part.
    """
    native = [linear for linear in native_linears(architecture) if linear.name != "router"]
    if targets == "all-linear":
        return tuple(native)
    parts = dict(_fused(architecture.hf_id, architecture.model_type))
    typed = {name.strip().lower() for name in targets.split(",")}
    if targets == "attention":
        typed = {"self_attn", *_LATENT}
    wanted = {name for one in typed for name in canonical_linear(one)}
    whole = {name for name, of in parts.items() if wanted.issuperset(of) and _named(name, typed)}
    inside = {part for name in whole for part in parts[name]}
    chosen = [linear for linear in native if linear.name in whole]
    chosen += [
        linear
        for linear in layer_linears(architecture)
        if linear.name in wanted and linear.name not in inside
    ]
    if "lm_head" in wanted:
        chosen.append(Linear("lm_head", architecture.hidden or 0, architecture.vocab or 0, 1, 1))
    return tuple(chosen)


_LATENT = ("q_a_proj", "q_b_proj", "kv_a_proj_with_mqa", "kv_b_proj")
#: Typed names that mean modules as the family stores them, not single parts.
_WHOLE_BLOCKS = frozenset({"self_attn", "mlp"})


def _named(module: str, typed: set[str]) -> bool:
    return module.lower() in typed or bool(typed & _WHOLE_BLOCKS)


def _fuse(linears: tuple[Linear, ...], module: str, parts: tuple[str, ...]) -> tuple[Linear, ...]:
    """`linears` with the parts that share an input merged into one module."""
    groups: dict[tuple[int, int, int], list[Linear]] = {}
    for linear in linears:
        if linear.name in parts:
            key = (linear.in_features, linear.count_per_layer, linear.layers)
            groups.setdefault(key, []).append(linear)
    fused = tuple(
        replace(group[0], name=module, out_features=sum(part.out_features for part in group))
        for group in groups.values()
    )
    return (*(linear for linear in linears if linear.name not in parts), *fused)


@cache
def _fused(hf_id: str, model_type: str | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Fused modules and their parts: by model type where a config.json told it, else by id."""
    return tuple(
        (row["module"], tuple(row["linears"].split(";")))
        for row in read_rows(_PACKAGE, "fused_linears.csv")
        if (row["model_type"] == model_type if model_type else hf_id.startswith(row["id_prefix"]))
    )
