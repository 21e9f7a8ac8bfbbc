"""The registry of model architectures: from what people type to one architecture, with notes.

Names are tried in this order: ambiguous short names (never for an id), the exact id, the listed
siblings, aliases, the name without its release words, without its weight format, without its date.
A name with an organisation ("Qwen/Qwen-7B") is an id: it never takes a short name's default.
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows
from planner.errors import BadInput
from planner.models.architecture import Architecture
from planner.models.names import (
    normalise,
    normalise_all,
    read_copy,
    release_words,
    stem,
    strip_url,
    undated,
    without_release,
)
from planner.models.rows import architecture_from_row
from planner.notes import Note, note
from planner.query import BaseDtype

_PACKAGE = "planner.models"


class Resolved(NamedTuple):
    """The architecture a name stands for, and what the reader must be told about the reading.

    `implied_base_dtype` is the weights' type where the name is that of a quantised copy. The
    `warnings` say why the answer may be off.
    """

    architecture: Architecture
    notes: tuple[Note, ...] = ()
    implied_base_dtype: BaseDtype | None = None
    warnings: tuple[Note, ...] = ()


def resolve(name: str) -> Resolved:
    """The architecture of a model by id, URL, alias or derived name, else BadInput."""
    typed = strip_url(name)
    if not typed:
        raise BadInput("models.no_name")
    is_id = "/" in typed
    ambiguous = {} if is_id else _ambiguous()
    folded = normalise(typed)
    if folded in ambiguous:
        return _default_of(typed, ambiguous[folded])
    hf_id = _find(typed) or _find(typed.replace("_", "-"))
    if hf_id is not None:
        return Resolved(architecture(hf_id), _sibling_notes(typed, hf_id))
    return _resolve_copy(typed) or _resolve_undated(typed) or _unknown(typed)


def architecture(hf_id: str) -> Architecture:
    """The architecture of one row, by its exact id."""
    return _architecture(hf_id)


def every_id() -> tuple[str, ...]:
    """The ids of all rows."""
    return tuple(_rows())


def alias_index() -> Mapping[str, str]:
    """Folded name (`normalise`) to id: ids, repositories, aliases, siblings, ambiguous defaults."""
    return _alias_index()


def ambiguous_names() -> frozenset[str]:
    """Folded short names that stand for several models, or for none that can be rented for."""
    return frozenset(_ambiguous())


def nearest(name: str, count: int = 3) -> tuple[str, ...]:
    """The ids whose names look most like `name`, the most alike first."""
    from rapidfuzz import fuzz, process

    index = _alias_index()
    wanted = normalise(strip_url(name))
    found = process.extract(wanted, index.keys(), scorer=fuzz.ratio, limit=count * 12)
    ids = dict.fromkeys(index[match] for match, _, _ in found)
    return tuple(ids)[:count]


@cache
def _architecture(hf_id: str) -> Architecture:
    return architecture_from_row(_rows()[hf_id])


@cache
def _rows() -> dict[str, dict[str, str]]:
    return {row["hf_id"]: row for row in read_rows(_PACKAGE, "models.csv")}


@cache
def _ambiguous() -> dict[str, dict[str, str]]:
    return {normalise(row["typed"]): row for row in read_rows(_PACKAGE, "ambiguous.csv")}


@cache
def _siblings() -> dict[str, str]:
    listed = read_rows(_PACKAGE, "siblings.csv")
    folded = normalise_all(row["id"] for row in listed)
    return {name: row["same_as"] for name, row in zip(folded, listed, strict=True)}


@cache
def _ids() -> dict[str, str]:
    return dict(zip(normalise_all(_rows()), _rows(), strict=True))


@cache
def _aliases() -> dict[str, str]:
    """Every alias a row lists, folded, without the names that ambiguous.csv decides."""
    listed = [
        (alias, hf_id)
        for hf_id, row in _rows().items()
        for alias in row["aliases"].split(";")
        if alias
    ]
    folded = normalise_all(alias for alias, _ in listed)
    named = {name: hf_id for name, (_, hf_id) in zip(folded, listed, strict=True)}
    return {alias: hf_id for alias, hf_id in named.items() if alias not in _ambiguous()}


@cache
def _repositories() -> dict[str, str]:
    """Repository names, whole first and then without release words, folded."""
    names: dict[str, str] = {}
    repositories = [hf_id.partition("/")[2] for hf_id in _rows()]
    short = normalise_all(without_release(name) for name in repositories)
    for folded in (normalise_all(repositories), short):
        for name, hf_id in zip(folded, _rows(), strict=True):
            names.setdefault(name, hf_id)
    return names


@cache
def _alias_index() -> dict[str, str]:
    index = dict(_repositories())
    for sibling, hf_id in _siblings().items():
        index[sibling] = hf_id
        index.setdefault(sibling.partition("/")[2] or sibling, hf_id)
    index.update(_aliases())
    index.update(
        {typed: row["default_hf_id"] for typed, row in _ambiguous().items() if row["default_hf_id"]}
    )
    index.update(_ids())
    return index


def _find(typed: str) -> str | None:
    """The id of a name as it stands: exact, a listed sibling, a repository's name, an alias."""
    folded = normalise(typed)
    organisation, _, repository = typed.rpartition("/")
    if folded in _ids():
        return _ids()[folded]
    if folded in _siblings():
        return _siblings()[folded]
    name = normalise(repository)
    if not organisation:
        return (
            _aliases().get(name)
            or _bare_sibling(name)
            or _repositories().get(name)
            or _stemmed(repository)
        )
    return _repositories().get(name) or _stemmed(repository) or _aliases().get(name)


def _stemmed(repository: str) -> str | None:
    short = stem(repository)
    return _repositories().get(short) or _aliases().get(short)


@cache
def _bare_siblings() -> dict[str, str]:
    return {name.partition("/")[2]: hf_id for name, hf_id in _siblings().items()}


def _bare_sibling(name: str) -> str | None:
    return _bare_siblings().get(name)


def _default_of(typed: str, row: dict[str, str]) -> Resolved:
    hf_id = row["default_hf_id"]
    others = tuple(other for other in row["candidates"].split(";") if other and other != hf_id)
    if not hf_id and row["why"].startswith("GPU"):
        raise BadInput("models.is_a_gpu", name=typed)
    if not hf_id and others:
        raise BadInput("models.must_choose", name=typed, choices=others)
    if not hf_id:
        raise BadInput("models.closed", name=typed)
    if others:
        said = note("models.ambiguous_default", typed=typed, model=hf_id, others=others)
    else:
        said = note("models.read_as", typed=typed, model=hf_id)
    return Resolved(architecture(hf_id), (said,))


def _sibling_notes(typed: str, hf_id: str) -> tuple[Note, ...]:
    if normalise(typed) == normalise(hf_id) or not _is_sibling(typed, hf_id):
        return ()
    return (note("models.same_architecture_as", typed=typed, model=hf_id),)


def _is_sibling(typed: str, hf_id: str) -> bool:
    """Whether the typed name is another release than the row's, not a short form of its name."""
    if "/" in typed:
        return True
    if release_words(typed) - release_words(hf_id):
        return True
    family = next((word for word in typed.lower().replace("-", " ").split() if word.isalpha()), "")
    row = _rows()[hf_id]
    known = normalise(f"{hf_id} {row['display_name']} {row['family']}")
    return len(family) > 2 and family not in known


def _resolve_copy(typed: str) -> Resolved | None:
    """A quantised copy: the architecture of the original and the type its weights are stored in."""
    organisation, _, repository = typed.rpartition("/")
    copy = read_copy(repository)
    if copy.weight_format is None:
        return None
    hf_id = _find(f"{organisation}/{copy.name}" if organisation else copy.name)
    hf_id = hf_id or _find(undated(copy.name))
    if hf_id is None:
        return None
    if copy.base_dtype is None:
        said = note("models.untrainable_copy", typed=typed, weights=copy.weight_format, model=hf_id)
    else:
        said = note("models.quantised_copy", typed=typed, base_dtype=copy.base_dtype, model=hf_id)
    return Resolved(architecture(hf_id), (said,), copy.base_dtype)


def _resolve_undated(typed: str) -> Resolved | None:
    """A dated release nobody listed: the architecture of the release that is known, and a note."""
    repository = typed.rpartition("/")[2]
    shorter = undated(repository)
    hf_id = _find(shorter) or _undated_repositories().get(stem(shorter))
    if hf_id is None:
        return None
    said = note("models.same_architecture_assumed", typed=typed, model=hf_id)
    return Resolved(architecture(hf_id), (said,))


@cache
def _undated_repositories() -> dict[str, str]:
    """Repository names without date and release words, where just one row has that name."""
    by_name: dict[str, list[str]] = {}
    for hf_id in _rows():
        by_name.setdefault(stem(undated(hf_id.partition("/")[2])), []).append(hf_id)
    return {name: ids[0] for name, ids in by_name.items() if len(ids) == 1}


def _unknown(typed: str) -> Resolved:
    raise BadInput("models.unknown", name=typed, nearest=nearest(typed))
