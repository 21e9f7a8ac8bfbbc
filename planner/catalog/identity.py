"""Which SKU a row of a price list means: memory and form are part of it, never guessed up."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from planner.data_files import read_rows
from planner.errors import BadInput, Refusal
from planner.gpus import registry as gpus
from planner.gpus.gpu import Gpu
from planner.gpus.registry import planned_names

#: How far a listed memory may lie from the card's own and still mean it.
_TOLERANCE = 0.08
_SLICE = re.compile(r"\bmig\b|\b\d+g\.\d+gb\b", re.IGNORECASE)
#: What is said after the memory of one card: that of all of them.
_SUM = re.compile(r"(\d+gb)-\d+gb$", re.IGNORECASE)
_FORMS = re.compile(r"(sxm\d?|pcie|nvl(?!ink))", re.IGNORECASE)
_FOLD = re.compile(r"[\s_-]+")
#: A board of SXM cards carries up to eight, two boards sixteen; nothing lies between.
_ONE_BOARD, _TWO_BOARDS = 8, 16
_MOST_CARDS = 16


class Distrusted(Refusal):
    """A row that cannot be taken at its word; the note says why."""


def card_of(
    name: str,
    provider: str,
    hints: Iterable[str],
    listed_mib: Iterable[float],
    count: int,
    *,
    of_one_card: bool = False,
) -> Gpu:
    """The SKU of a row that calls its card `name`.

    `hints` are other texts of the row that may name the form factor; `listed_mib` the memory
    figures it gives, whose unit and meaning vary from list to list, unless they are known to be
    `of_one_card`. A bare name with several sizes
    is the smaller one unless the figures can only mean the larger. Raises Distrusted.
    """
    if not name.strip():
        raise Distrusted("catalog.quarantine_no_card")
    if _SLICE.search(name) or any(_SLICE.search(hint) for hint in hints):
        raise Distrusted("catalog.quarantine_slice", name=name)
    figures = [one for one in listed_mib if one]
    cards = 1 if of_one_card else count
    known = _spelled(name, provider)
    gpu = known or _smallest_that_fits(_named(name, hints), figures, cards)
    if not _memory_is_plausible(gpu, figures, cards):
        raise Distrusted("catalog.quarantine_memory", gpu=gpu.name, memory=f"{figures[0]:g}")
    if gpu.name not in planned_names():
        raise Distrusted("catalog.quarantine_not_planned", gpu=gpu.name)
    return gpu


def count_of(typed: str, gpu_text: str) -> int:
    """The whole number of cards of a row; Distrusted where it is none, or a share of a card."""
    try:
        count = float(typed)
    except ValueError:
        raise Distrusted("catalog.quarantine_count", count=typed or "-", name=gpu_text) from None
    if count != int(count) or not 1 <= count <= _MOST_CARDS:
        raise Distrusted("catalog.quarantine_count", count=typed, name=gpu_text)
    return int(count)


def refuse_odd_board(gpu: Gpu, count: int) -> None:
    """Distrusted for a number of cards that no board of this form carries (12 on an HGX)."""
    if "SXM" in gpu.name and _ONE_BOARD < count != _TWO_BOARDS:
        raise Distrusted("catalog.quarantine_count", count=str(count), name=gpu.name)


def interconnect_of(gpu: Gpu, count: int, text: str) -> str:
    """How the cards of one machine talk: by the form of the card, and by what the row calls it."""
    if count == 1:
        return "single"
    if "SXM" in gpu.name or gpu.name.startswith(("B200", "B300", "GH200", "GB200")):
        return "nvlink"
    if "nvlink" in text.lower() or gpu.name.endswith("NVL"):
        return "nvlink-bridge"
    return "pcie"


def _spelled(name: str, provider: str) -> Gpu | None:
    table = _spellings()
    folded = _fold(_SUM.sub(r"\1", name))
    found = table.get((provider, folded)) or table.get(("*", folded))
    return gpus.get(found) if found else None


def _named(name: str, hints: Iterable[str]) -> tuple[Gpu, ...]:
    """The SKUs of that name, of the form that the name or a hint tells."""
    text = _SUM.sub(r"\1", name)
    form = next((m[1] for one in (text, *hints) if (m := _FORMS.search(one))), None)
    return _of_form(text, form)


@lru_cache(maxsize=1024)
def _of_form(text: str, form: str | None) -> tuple[Gpu, ...]:
    typed = text if form is None or _FORMS.search(text) else f"{text} {form}"
    try:
        taken = gpus.find(typed)
    except BadInput:
        try:
            taken = gpus.find(text)
        except BadInput as refusal:
            raise Distrusted("catalog.quarantine_unknown_card", name=text) from refusal
    others = [one.values.get("others") for one in taken.notes]
    names = [other for found in others if isinstance(found, tuple) for other in found]
    same_form = [gpus.get(other) for other in names if _form(other) == _form(taken.gpu.name)]
    return (taken.gpu, *same_form)


def _form(name: str) -> str:
    found = _FORMS.search(name)
    return found[1].lower().rstrip("0123456789") if found else ""


def _smallest_that_fits(candidates: tuple[Gpu, ...], figures: list[float], count: int) -> Gpu:
    by_size = sorted(candidates, key=lambda gpu: gpu.memory_gb_marketed)
    plausible = [gpu for gpu in by_size if _memory_is_plausible(gpu, figures, count)]
    return (plausible or by_size)[0]


def _memory_is_plausible(gpu: Gpu, figures: list[float], count: int) -> bool:
    """Whether every figure is the card's memory in some reading: MiB or GB, of one card or of all.
    Without figures nothing speaks against it.
    """
    size = gpu.memory_gb_marketed
    readings = [size * unit * cards for unit in (1024, 1) for cards in (1, count)]
    return all(any(abs(f / one - 1) <= _TOLERANCE for one in readings) for f in figures)


@cache
def _spellings() -> dict[tuple[str, str], str]:
    rows = read_rows("planner.catalog", "gpu_spellings.csv")
    return {(row["provider"], _fold(row["typed"])): row["gpu"] for row in rows}


def _fold(name: str) -> str:
    return _FOLD.sub("", name.strip().lower())
