"""What somebody may be about to type: models, methods and GPUs, best first, while they type."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Literal, NamedTuple, get_args

from rapidfuzz import fuzz, process

from bot.escaping import clean
from planner.gpus import registry as gpus
from planner.models import registry as models
from planner.query import Method

Kind = Literal["model", "method", "gpu"]

#: What scores below this is no likely misspelling of what was typed.
_LIKELY = 60.0
_BREAK = re.compile(r"[^a-z0-9.]+")
#: Between letters and digits: "llama3" and "rtx4090" are two words each.
_LETTER_DIGIT = re.compile(r"(?<=[a-z]{3})(?=\d)")

#: Methods whose bare name is a word of its own in a question.
_SAID_IN_FULL = {"prefix": "prefix-tuning", "prompt": "prompt-tuning"}
_METHODS = tuple(_SAID_IN_FULL.get(method, method) for method in get_args(Method))


class Suggestion(NamedTuple):
    """`value` is what the grammar reads, `shown` what a person picks it by."""

    value: str
    shown: str


class _Spelling(NamedTuple):
    folded: str
    suggestion: Suggestion


def suggest(kind: Kind, typed: str, most: int) -> tuple[Suggestion, ...]:
    """At most `most` names of a `kind` for what was `typed`; nothing typed gives the newest.

    The name itself comes first, then names that begin so, names with words that do, names that
    hold it, and only where there is none of these likely misspellings. Equals stay newest first.
    """
    wanted = _fold(typed)
    if not wanted:
        return _each_once((spelling.suggestion for spelling in _spellings(kind)), most)
    near = (one for _, one in _ranked(kind, wanted))
    return _each_once(near, most) or _each_once(_alike(kind, wanted, most), most)


def complete(text: str, most: int) -> tuple[Suggestion, ...]:
    """`text` with its last word made a method, GPU or model, as many ways as there are likely."""
    head, _, last = clean(text).rpartition(" ")
    wanted = _fold(last)
    if not wanted:
        return ()
    kinds: tuple[Kind, ...] = ("method", "gpu", "model") if head else ("model", "gpu")
    found = sorted(
        ((rank, one) for kind in kinds for rank, one in _ranked(kind, wanted)),
        key=lambda ranked: ranked[0],
    )
    near = [one for _, one in found] or list(_alike("model", wanted, most))
    written = (f"{head} {one.value}".strip() for one in near)
    return _each_once((Suggestion(value, value) for value in written), most)


def prepare() -> None:
    """Read the lists ahead of the first letter that somebody types."""
    for kind in get_args(Kind):
        _spellings(kind)


def _fold(name: str) -> str:
    words = _BREAK.sub(" ", name.lower()).strip()
    return _LETTER_DIGIT.sub(" ", words)


def _rank(folded: str, wanted: str) -> int | None:
    """How near a name is, 0 the nearest; None where it is not."""
    if folded == wanted:
        return 0
    if folded.startswith(wanted):
        return 1
    have = folded.split()
    if all(any(word.startswith(part) for word in have) for part in wanted.split()):
        return 2
    return 3 if wanted in folded else None


def _ranked(kind: Kind, wanted: str) -> list[tuple[int, Suggestion]]:
    """The names near `wanted`, the nearest first."""
    found = [
        (rank, spelling.suggestion)
        for spelling in _spellings(kind)
        if (rank := _rank(spelling.folded, wanted)) is not None
    ]
    return sorted(found, key=lambda ranked: ranked[0])


def _alike(kind: Kind, wanted: str, most: int) -> Iterable[Suggestion]:
    """Names of which `wanted` is likely a misspelling."""
    spellings = _spellings(kind)
    found = process.extract(
        wanted,
        [spelling.folded for spelling in spellings],
        scorer=fuzz.ratio,
        limit=4 * most,
        score_cutoff=_LIKELY,
    )
    return (spellings[position].suggestion for _, _, position in found)


def _each_once(suggestions: Iterable[Suggestion], most: int) -> tuple[Suggestion, ...]:
    return tuple({one.value: one for one in suggestions}.values())[:most]


@cache
def _spellings(kind: Kind) -> tuple[_Spelling, ...]:
    """Every name of a `kind`, folded; the newest first."""
    match kind:
        case "model":
            return tuple(_of_models())
        case "gpu":
            return tuple(_of_gpus())
        case "method":
            return tuple(_Spelling(_fold(name), Suggestion(name, name)) for name in _METHODS)


def _of_models() -> Iterable[_Spelling]:
    every = sorted(
        (models.architecture(hf_id) for hf_id in models.every_id()),
        key=lambda model: model.released or "",
        reverse=True,
    )
    for model in every:
        one = Suggestion(model.hf_id, f"{model.display_name} ({model.hf_id})")
        for name in (model.display_name, model.hf_id.partition("/")[2], model.hf_id):
            yield _Spelling(_fold(name), one)


def _of_gpus() -> Iterable[_Spelling]:
    planned = gpus.planned_names()
    for gpu in reversed(gpus.every()):
        if gpu.name in planned:
            one = Suggestion(gpu.name, f"{gpu.name}, {gpu.memory_gb_marketed:g} GB")
            for name in (gpu.name, *gpu.aliases):
                yield _Spelling(_fold(name), one)
