"""The registry of GPU SKUs: from what people type to one SKU, and what to say about it.

Form factor and memory are part of a SKU's identity. A name that leaves them open takes the
default of ambiguous.csv and says so; where guessing wrong would cost memory, the asker is asked.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows
from planner.errors import BadInput
from planner.gpus.gpu import Gpu
from planner.notes import Note, note

_PACKAGE = "planner.gpus"
#: Vendors whose cards the planned stacks run on; TPU and Gaudi are known, never offered.
PLANNED_VENDORS = frozenset({"nvidia", "amd"})
#: How far a typed or listed size may lie from the marketed one and still mean it: GiB for GB,
#: 192 for a card sold as 180.
_SIZE_TOLERANCE = 0.08
#: How far a card's marketed memory may lie from the size somebody asks for without a name.
_ABOUT = 0.05

_FILLERS = re.compile(r"\b(nvidia|amd|geforce|tesla|instinct|gpu|card|hbm\d\w*)\b")
_MEMORY = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s*-?\s*(?:gb|gib|g)\b")
_FORM = re.compile(r"(sxm|pcie|nvl)\d?(?![a-z])")
_NOT_NAME = re.compile(r"[^a-z0-9]+")


class Found(NamedTuple):
    """The SKU a name stands for, and what the reader must be told about the reading."""

    gpu: Gpu
    notes: tuple[Note, ...] = ()


class _Parts(NamedTuple):
    base: str
    form: str | None
    memory: float | None


def find(name: str, memory_gib: float | None = None) -> Found:
    """The SKU of a typed name, with its memory where that is said beside it, else BadInput."""
    parts = _parts(name)
    memory = memory_gib if memory_gib is not None else parts.memory
    exact = _exact(name, parts, memory_gib)
    if exact is not None:
        return Found(exact)
    named = _candidates(parts.base)
    if not named:
        raise BadInput("gpus.unknown", name=name.strip(), nearest=nearest(name))
    formed = tuple(g for g in named if parts.form is None or _form_of(g) == parts.form)
    if not formed:
        raise BadInput("gpus.no_such_form", name=name.strip(), known=tuple(g.name for g in named))
    sized = formed if memory is None else _of_size(formed, memory)
    if not sized:
        raise BadInput(
            "gpus.no_such_memory",
            name=name.strip(),
            memory_gib=float(memory or 0),
            sizes=tuple(f"{size:g} GB" for size in sorted({g.memory_gb_marketed for g in formed})),
        )
    return _choose(name.strip(), parts.base, sized)


def get(name: str) -> Gpu:
    """The SKU of a canonical name; KeyError where there is none."""
    return _gpu(name)


def every() -> tuple[Gpu, ...]:
    """All SKUs, in the order of the data file."""
    return tuple(_gpu(name) for name in _rows())


def is_planned(gpu: Gpu) -> bool:
    """Whether the stacks that are planned for run on this SKU."""
    return gpu.vendor in PLANNED_VENDORS


def planned_names() -> frozenset[str]:
    """The names of all SKUs the planned stacks run on."""
    return _planned_names()


def has_memory(gpu: Gpu, memory_gb: float) -> bool:
    """Whether a card is sold with about this much memory."""
    return abs(gpu.memory_gb_marketed - memory_gb) <= _ABOUT * memory_gb


def names_of_memory(memory_gb: float) -> frozenset[str]:
    """The names of the SKUs that are sold with about this much memory."""
    return frozenset(gpu.name for gpu in every() if has_memory(gpu, memory_gb))


def alias_index() -> Mapping[str, str]:
    """Folded name (`normalise`) to SKU name, with the defaults of ambiguous names."""
    defaults = {typed: row["default"] for typed, row in _ambiguous().items() if row["default"]}
    return {**_aliases(), **defaults}


def ambiguous_names() -> frozenset[str]:
    """Folded names that leave form factor or memory open."""
    return frozenset(_ambiguous())


def nearest(name: str, count: int = 3) -> tuple[str, ...]:
    """The SKU names that look most like `name`, the most alike first."""
    from rapidfuzz import fuzz, process

    index = alias_index()
    found = process.extract(normalise(name), index.keys(), scorer=fuzz.ratio, limit=count * 8)
    return tuple(dict.fromkeys(index[match] for match, _, _ in found))[:count]


def normalise(name: str) -> str:
    """The folded form of a GPU's name: lower case, without vendor words and separators."""
    return _NOT_NAME.sub("", _FILLERS.sub(" ", name.lower()))


def _parts(name: str) -> _Parts:
    """Base name, form factor and memory of a typed name, each where it is said."""
    text = re.sub(r"[_\-]+", " ", name.lower())
    memory = _MEMORY.search(text)
    text = _MEMORY.sub(" ", text)
    form = _FORM.search(text)
    text = _FORM.sub(" ", text)
    return _Parts(
        base=normalise(text),
        form=form.group(1) if form else None,
        memory=float(memory.group(1)) if memory else None,
    )


def _exact(name: str, parts: _Parts, memory_gib: float | None) -> Gpu | None:
    """The SKU whose name or alias this is, word for word."""
    folded = normalise(name)
    if memory_gib is not None and parts.memory is None:
        folded += f"{memory_gib:g}gb"
    if folded in _ambiguous():
        return None
    sku = _aliases().get(folded)
    if sku is None:
        return None
    gpu = _gpu(sku)
    if memory_gib is not None and not _of_size((gpu,), memory_gib):
        return None
    return gpu


@cache
def _gpu(name: str) -> Gpu:
    row = _rows()[name]
    return Gpu(
        name=name,
        aliases=tuple(row["aliases"].split(";")),
        vendor=row["vendor"],
        memory_gib_reported=_number(row["memory_gib_reported"]),
        memory_gb_marketed=float(row["memory_gb_marketed"]),
        bandwidth_gb_s=_number(row["bandwidth_gb_s"]),
        bf16_dense_tflops=_number(row["bf16_dense_tflops"]),
        fp16_dense_tflops=_number(row["fp16_dense_tflops"]),
        fp32_tflops=_number(row["fp32_tflops"]),
        architecture=row["arch"],
        compute_capability=row["compute_capability"],
        supports_bf16=row["bf16_supported"] == "y",
        has_nvlink=row["nvlink"] == "y",
        nvlink_gb_s=_number(row["nvlink_gb_s_total"]),
        pcie_generation=_number(row["pcie_gen"]),
        kind=row["class"],
        source=row["source"],
        confidence=row["confidence"],
        remark=row["note"] or None,
    )


def _number(cell: str) -> float | None:
    return float(cell) if cell else None


@cache
def _rows() -> dict[str, dict[str, str]]:
    return {row["name"]: row for row in read_rows(_PACKAGE, "gpus.csv")}


@cache
def _planned_names() -> frozenset[str]:
    return frozenset(name for name, row in _rows().items() if row["vendor"] in PLANNED_VENDORS)


@cache
def _ambiguous() -> dict[str, dict[str, str]]:
    return {normalise(row["typed"]): row for row in read_rows(_PACKAGE, "ambiguous.csv")}


@cache
def _aliases() -> dict[str, str]:
    return {
        normalise(alias): name
        for name, row in _rows().items()
        for alias in (name, *row["aliases"].split(";"))
    }


@cache
def _skus_by_base() -> dict[str, tuple[str, ...]]:
    """Base name to the SKUs that carry it: "a100" to all four A100s."""
    found: dict[str, list[str]] = {}
    for name, row in _rows().items():
        bases = {_parts(alias).base for alias in (name, *row["aliases"].split(";"))}
        for base in bases:
            found.setdefault(base, []).append(name)
    return {base: tuple(names) for base, names in found.items()}


def _candidates(base: str) -> tuple[Gpu, ...]:
    row = _ambiguous().get(base)
    names = row["candidates"].split(";") if row else _skus_by_base().get(base, ())
    return tuple(_gpu(name) for name in names)


def _form_of(gpu: Gpu) -> str | None:
    return _parts(gpu.name).form


def _of_size(gpus: tuple[Gpu, ...], memory: float) -> tuple[Gpu, ...]:
    """The SKUs whose size this is: the nearest within the tolerance."""

    def distance(gpu: Gpu) -> float:
        return abs(gpu.memory_gb_marketed - memory) / gpu.memory_gb_marketed

    closest = min(distance(gpu) for gpu in gpus)
    if closest > _SIZE_TOLERANCE:
        return ()
    return tuple(gpu for gpu in gpus if distance(gpu) == closest)


def _choose(typed: str, base: str, gpus: tuple[Gpu, ...]) -> Found:
    if len(gpus) == 1:
        return Found(gpus[0])
    names = tuple(gpu.name for gpu in gpus)
    row = _ambiguous().get(base)
    if row and not row["default"] and len({gpu.memory_gb_marketed for gpu in gpus}) > 1:
        raise BadInput("gpus.which_one", name=typed, choices=names)
    chosen = _default_among(gpus, _gpu(row["default"]) if row and row["default"] else None)
    others = tuple(name for name in names if name != chosen.name)
    return Found(chosen, (note("gpus.default_taken", typed=typed, gpu=chosen.name, others=others),))


def _default_among(gpus: tuple[Gpu, ...], default: Gpu | None) -> Gpu:
    """The default itself, else the first of the default's size, else the first of the smallest."""
    if default in gpus:
        return default
    size = default.memory_gb_marketed if default else None
    alike = [gpu for gpu in gpus if gpu.memory_gb_marketed == size]
    return alike[0] if alike else min(gpus, key=lambda gpu: gpu.memory_gb_marketed)
