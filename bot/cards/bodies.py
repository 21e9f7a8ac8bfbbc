"""What each section of a card holds: codes and numbers, never words. Templates read these fields.

A template asks `section("memory")` and gets the body of that name, or None when the card has no
such section (nothing to tell, or left out because the surface is small). None in a field is
"unknown" or "not said": the number filters of bot.render write it as "unknown", never as 0.

section        body
verdict        VerdictBody         always there on a fit card, like choice
choice         ChoiceBody
memory         MemoryBody
options        OptionsBody
spot           SpotAdvice          (planner.plan.result) absent when no spot price is known
checkpoint     CheckpointAdvice    (planner.plan.result)
provider       ProviderBody
alternatives   AlternativesBody
warnings       NotesBody
assumed        AssumedBody
comparison     ComparisonBody
figures        FiguresBody
recipe         RecipeBody          its assumed section is a NotesBody
prices         PricesBody
topics         TopicsBody          the help card
digest         DigestBody
watches        WatchesBody         what a channel's watched plans cost, in its digest
watched        WatchBody           a watched price that got under its limit
message        NotesBody           the notice card, and an opening line of the help card

Words for a code are looked up by family, all in cards.po: `cards.verdict_*`,
`cards.method_*`, `cards.label_*`, `cards.market_*`, `cards.part_*`, `cards.evidence_*`,
`cards.fabric_*`. The filters of bot.render do so for whole lines.
"""

from typing import Literal, NamedTuple

from planner.base import Frozen
from planner.changes import Changes
from planner.explain.figure import Figure
from planner.memory.result import Evidence, MemoryEstimate
from planner.notes import Note
from planner.plan.compare import Column
from planner.plan.result import (
    Alternative,
    CatalogFacts,
    Freshness,
    Option,
    Verdict,
)
from planner.query import Market, Method
from planner.watching import WatchedFigure

PartName = Literal[
    "weights", "adapters", "gradients", "optimizer", "activations", "logits", "temporary",
    "overhead",
]  # fmt: skip


class VerdictBody(NamedTuple):
    """The verdict on the GPU the text names, or on the first option's. GiB are per GPU.

    `model` is a display name and may be text somebody typed. `method_said` is False when Muat
    picked the method. `gpu` is None when the question names none and nothing rentable was found;
    `vram_gib` is the size it names in place of a card.
    `headroom_gib` is usable minus needed: negative when it does not fit.
    """

    model: str
    method: Method
    method_said: bool
    seq_len: int | None
    micro_batch: int | None
    verdict: Verdict
    gpu: str | None
    gpu_count: int | None
    nodes: int
    vram_gib: float | None
    needed_gib: float
    usable_gib: float | None
    headroom_gib: float | None


class ChoiceBody(NamedTuple):
    """What to rent: the first option, None when nothing within the limits was found.

    `verdict` tells why: a job that fits without an option lacks an offer, not memory.
    `on_demand_usd_total` is what the run costs on-demand where that is known, to show beside a spot
    price.
    """

    option: Option | None
    verdict: Verdict
    on_demand_usd_total: float | None


class Part(NamedTuple):
    """One part of the peak, in tenths of a GiB such that all parts add up to the peak shown."""

    name: PartName
    gib: float


class MemoryBody(NamedTuple):
    """Where the memory of the fullest GPU goes; `usable_gib` is what it has to fit into.

    `parts` leaves out what rounds to nothing and calls what is not a tensor `overhead`. They add up
    to `peak_gib`, which is rounded to tenths.
    """

    peak_gib: float
    low_gib: float
    high_gib: float
    usable_gib: float | None
    parts: tuple[Part, ...]
    evidence: Evidence
    calibrated_on: str
    host_ram_gib: float | None
    estimate: MemoryEstimate

    @property
    def fraction(self) -> float | None:
        """Share of the usable memory that the peak takes; above 1 when it does not fit."""
        return self.peak_gib / self.usable_gib if self.usable_gib else None


class OptionsBody(NamedTuple):
    """Up to three things to rent, best first; the first is the choice."""

    options: tuple[Option, ...]


class ProviderBody(NamedTuple):
    """What to know about the provider of the first option."""

    name: str
    notes: tuple[Note, ...]


class AlternativesBody(NamedTuple):
    """Other ways to run the job; `instead` where the job as asked does not fit."""

    alternatives: tuple[Alternative, ...]
    instead: bool


class NotesBody(NamedTuple):
    """Sentences, one a line."""

    notes: tuple[Note, ...]


class AssumedBody(NamedTuple):
    """What was assumed, and which prices stand behind the answer."""

    notes: tuple[Note, ...]
    catalog: CatalogFacts


class ComparisonBody(NamedTuple):
    """Plans side by side; `cheapest` and `fastest` are places in `columns`, None where nothing can
    be rented.
    """

    columns: tuple[Column, ...]
    cheapest: int | None
    fastest: int | None
    notes: tuple[Note, ...]
    is_one_model: bool


class FiguresBody(NamedTuple):
    """Every number of an answer about `model`, explained."""

    model: str
    figures: tuple[Figure, ...]


class RecipeBody(NamedTuple):
    """Files that run `option`, as name and text."""

    model: str
    target: str
    option: Option
    files: tuple[tuple[str, str], ...]


class PriceRow(Frozen):
    """One price: USD per hour for the whole machine and per GPU; None is unknown."""

    gpu: str
    gpu_count: int
    provider: str
    instance_type: str
    region: str | None
    market: Market
    usd_per_hour: float | None
    usd_per_gpu_hour: float | None
    as_of: str | None
    gathered_on: str | None
    freshness: Freshness


class PricesBody(Frozen):
    """Prices in the order to show them, of which `more` further ones are not shown; what to know
    of all of them, such as that they are old.
    """

    rows: tuple[PriceRow, ...]
    more: int
    catalog: CatalogFacts
    warnings: tuple[Note, ...] = ()


class DigestBody(Frozen):
    """What moved since the last digest; the first one has the lowest prices alone. Where the
    catalog `is_old_news` it was not read again since.
    """

    changes: Changes
    catalog: CatalogFacts
    is_first: bool
    is_old_news: bool


class WatchBody(Frozen):
    """A watched price that got under its limit: `usd` of the `figure` now, on `offer`, and before.
    Where it `is_test` somebody asked for the message, wherever the price is.

    `what` is the question as typed; `machine_before` what was recommended before, "" where nothing
    was. None as `before_usd` is a price that was not known before.
    """

    what: str
    figure: WatchedFigure
    limit_usd: float
    usd: float
    before_usd: float | None
    offer: Option | PriceRow
    machine_before: str
    is_test: bool = False

    @property
    def machine(self) -> str:
        """The machine by count, card, provider and type, alike in every language."""
        return machine_name(self.offer)


def machine_name(offer: Option | PriceRow) -> str:
    """A machine by count, card, provider and type, alike in every language."""
    return f"{offer.gpu_count}x {offer.gpu} {offer.provider} {offer.instance_type}"


class WatchedPlan(Frozen):
    """What a watched plan costs at a digest and cost at the one before; None is unknown, and ""
    a machine that is. `is_new` where no digest told of it yet.
    """

    what: str
    figure: WatchedFigure
    usd: float | None
    before_usd: float | None
    machine: str
    machine_before: str
    is_new: bool


class WatchesBody(NamedTuple):
    """What the watched plans of a channel cost, one line each."""

    plans: tuple[WatchedPlan, ...]


class Topic(Frozen):
    """One command of the help card: its name, what it is for, and a text that works as typed."""

    command: str
    summary: Note
    example: str


class TopicsBody(Frozen):
    """The commands there are."""

    topics: tuple[Topic, ...]
