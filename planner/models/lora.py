"""Which linears a `lora_targets` value means, and how a family stores them.

Families that fuse several linears into one (Qwen 1's c_attn, Phi-3's gate_up_proj) get one adapter
for the fused module, which is smaller than one adapter for each of its parts. Experts are stacked
parameters, not linears: peft reaches those of the families in data/adapted_experts.csv alone.
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
    chosen = _named_linears(architecture, targets)
    return _with_stacked_experts(architecture, chosen, router=targets == "all-linear")


def scaled_linears(architecture: Architecture, targets: str) -> tuple[Linear, ...]:
    """The linears that IA3 scales: those `targets` name, of every layer, but no experts."""
    chosen = _named_linears(architecture, targets)
    return tuple(linear for linear in chosen if linear.count_per_layer == 1)


def _named_linears(architecture: Architecture, targets: str) -> tuple[Linear, ...]:
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


def usual_ia3_targets(architecture: Architecture) -> str:
    """The linears that peft's IA3 scales where nobody names them: the family's, else keys, values
    and what goes into the MLP's last linear.
    """
    named = _ia3_targets()
    kind = architecture.attention_kind or "*"
    return named.get(architecture.family) or named.get(kind) or named["*"]


def experts_are_adapted(architecture: Architecture) -> bool:
    """Whether an adapter of the MLP's linears reaches the experts."""
    return architecture.hf_id.startswith(_families_with_adapted_experts())


@cache
def _families_with_adapted_experts() -> tuple[str, ...]:
    return tuple(row["id_prefix"] for row in read_rows(_PACKAGE, "adapted_experts.csv"))


@cache
def _ia3_targets() -> dict[str, str]:
    rows = read_rows(_PACKAGE, "ia3_targets.csv")
    return {row["family"]: row["linears"].replace(";", ",") for row in rows}


def _with_stacked_experts(
    architecture: Architecture, chosen: tuple[Linear, ...], *, router: bool
) -> tuple[Linear, ...]:
    """`chosen` with the experts as peft adapts their stacked parameters: not at all, or gate and up
    as one parameter with twice the rank (counted as twice as many), the router beside "all-linear".
    The names then mean those parameters: dense layers and shared experts get no adapter.
    """
    experts = tuple(linear for linear in chosen if linear.count_per_layer > 1)
    others = tuple(linear for linear in chosen if linear.count_per_layer == 1)
    if not experts or not experts_are_adapted(architecture):
        return others
    down = tuple(linear for linear in experts if linear.name == "down_proj")
    into = next((linear for linear in experts if linear.name != "down_proj"), None)
    stacked = () if into is None else (_gate_up(into),)
    routers = tuple(one for one in layer_linears(architecture) if one.name == "router" and router)
    attention = tuple(one for one in others if one.name not in _STACKED)
    return (*attention, *stacked, *down, *routers)


_STACKED = ("gate_proj", "up_proj", "down_proj")


def _gate_up(part: Linear) -> Linear:
    return replace(
        part,
        name="gate_up_proj",
        out_features=2 * part.out_features,
        count_per_layer=2 * part.count_per_layer,
    )


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
