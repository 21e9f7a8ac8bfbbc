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
_SIZE = re.compile(r"\d+\s*gb?(?![a-z])", re.IGNORECASE)
_FORMS = re.compile(r"(sxm\d?|pcie|nvl(?!ink))", re.IGNORECASE)
_FOLD = re.compile(r"[\s_-]+")
#: What makes another card of a name, and is lost in some lists: it stands in the machine's name.
_KIN = r"(s?ti|super)(?![a-z])"
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
    `of_one_card`. A bare name with several sizes is the smaller one unless the figures can only
    mean the larger. Raises Distrusted.
    """
    hints = tuple(hints)
    if not name.strip():
        raise Distrusted("catalog.quarantine_no_card")
    if _SLICE.search(name) or any(_SLICE.search(hint) for hint in hints):
        raise Distrusted("catalog.quarantine_slice", name=name)
    figures = [one for one in listed_mib if one]
    cards = 1 if of_one_card else count
    full = _with_kin(name, hints)
    gpu = _spelled(full, provider, hints)
    gpu = gpu or _smallest_that_fits(_named(full, hints), figures, cards)
    if not _memory_is_plausible(gpu, figures, cards):
        gpu = _of_that_memory(full, figures) or gpu
    if not _memory_is_plausible(gpu, figures, cards):
        raise Distrusted("catalog.quarantine_memory", gpu=gpu.name, memory=f"{figures[0]:g}")
    if gpu.name not in planned_names():
        raise Distrusted("catalog.quarantine_not_planned", gpu=gpu.name)
    return gpu


def figures_are_of_one_card(listed: Iterable[tuple[str, int, float]]) -> bool:
    """Whether a list's memory figures are those of one card, by its own rows.

    `listed` are the cards' names, their number and the figure. They are where some card has the
    same figure at two numbers, and none has a figure that grows with its number.
    """
    of_card: dict[str, dict[int, float]] = {}
    for name, count, figure in listed:
        of_card.setdefault(name, {})[count] = figure
    repeated = grown = False
    for by_count in of_card.values():
        fewest = min(by_count)
        for count in by_count.keys() - {fewest}:
            ratio = by_count[count] / by_count[fewest]
            repeated |= abs(ratio - 1) <= _TOLERANCE
            grown |= abs(ratio / (count / fewest) - 1) <= _TOLERANCE
    return repeated and not grown


def count_of(typed: str, gpu_text: str) -> int:
    """The whole number of cards of a row; Distrusted where it is none, or a share of a card."""
    try:
        count = float(typed)
    except ValueError:
        raise Distrusted("catalog.quarantine_count", count=typed or "-", name=gpu_text) from None
    if not count.is_integer() or not 1 <= count <= _MOST_CARDS:
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


def _with_kin(name: str, hints: tuple[str, ...]) -> str:
    """The name with the Ti or Super that only the machine's name has: RTX4060 in
    "1x-RTX_4060_Ti" is an RTX4060ti.
    """
    kin = re.compile(re.escape(_fold(name)) + _KIN)
    return next((f"{name}{m[1]}" for one in hints if (m := kin.search(_fold(one)))), name)


def _spelled(name: str, provider: str, hints: tuple[str, ...]) -> Gpu | None:
    """The SKU that the data has for the name of the card, or for its machine, at this provider or
    anywhere. The form that the row itself tells goes before what a provider usually has.
    """
    table = _spellings()
    folded = _fold(_SUM.sub(r"\1", name))
    keys = [(provider, _fold(one)) for one in (folded, *hints)]
    found = next((table[key] for key in (*keys, ("*", folded)) if key in table), None)
    if found is None:
        return None
    told = _form_told(name, hints)
    return gpus.get(found) if told is None or _form(told) == _form(found) else None


def _named(name: str, hints: tuple[str, ...]) -> tuple[Gpu, ...]:
    """The SKUs of that name, of the form that the name or a hint tells."""
    return _of_form(_SUM.sub(r"\1", name), _form_told(name, hints))


def _form_told(name: str, hints: tuple[str, ...]) -> str | None:
    return next((m[1] for one in (name, *hints) if (m := _FORMS.search(one))), None)


def _of_that_memory(name: str, figures: list[float]) -> Gpu | None:
    """The card of that name with another memory than the usual, where every figure of one card is
    it: a 4090 with 48 GB is a card of its own. None where the name says another size.
    """
    if _SIZE.search(name):
        return None
    try:
        gpu = gpus.find(name, figures[0] / 1024).gpu
    except BadInput:
        return None
    return gpu if _memory_is_plausible(gpu, figures, 1) else None


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
