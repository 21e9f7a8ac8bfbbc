"""What the planner answers: a verdict, up to three things to rent, spot and checkpoint advice."""

from typing import Literal

from planner.base import Frozen
from planner.memory.result import MemoryEstimate
from planner.notes import Note
from planner.query import Checkpointing, Market, PlanQuery, Sharding
from planner.speed.pace import Bound

Verdict = Literal["fits", "tight", "does_not_fit"]
Change = Literal[
    "checkpointing", "fused_loss", "optimizer_8bit", "micro_batch", "half_length", "qlora",
    "sharding", "offload", "together", "bigger_card", "method_lora", "method_full",
]  # fmt: skip
Label = Literal["cheapest_run", "cheapest_hour", "fastest"]
UnknownCost = Literal["billing_step", "storage", "egress"]
Freshness = Literal["fresh", "ageing", "stale", "undated", "sample"]


class Cost(Frozen):
    """Where the hours and dollars of a run go. None is unknown, and its name is in `unknown`.

    Rented are `setup_hours` (for `moved_gb` of weights and data), `training_hours` and
    `saving_hours` (`saves` of `save_seconds` each); billed are `billed_hours` by the provider's
    steps and minimum, of which `idle_hours` are rented beyond the run because somebody means to.
    Storage holds `stored_gb` while it runs, egress takes the `result_gb` that were trained away
    once.
    """

    setup_hours: float
    moved_gb: float
    training_hours: float
    saving_hours: float
    saves: int
    save_seconds: float
    stored_gb: float
    result_gb: float
    billed_hours: float
    idle_hours: float
    compute_usd: float
    storage_usd: float | None
    egress_usd: float | None
    unknown: tuple[UnknownCost, ...]


class StepTime(Frozen):
    """Seconds of one micro-batch of `tokens` on each GPU by what they are spent on, before they
    overlap; `optimizer_s` come once per optimizer step. `bound` is what takes longest.
    """

    tokens: int
    workers: int
    arithmetic_s: float
    memory_s: float
    kernels_s: float
    links_s: float
    host_s: float
    optimizer_s: float
    bound: Bound


class Option(Frozen):
    """One thing to rent. `usd_per_hour` is for everything rented; `hours` from renting to the last
    save, and `usd_total` all that is known to be paid for them (`cost`). Nine of ten measured runs
    lie between the low and the high speed; the hours follow from them.
    """

    label: Label
    provider: str
    instance_type: str
    gpu: str
    gpu_count: int
    nodes: int
    interconnect: str
    region: str | None
    market: Market
    usd_per_hour: float
    hours: float
    hours_low: float
    hours_high: float
    usd_total: float
    tokens_per_s: float
    tokens_per_s_low: float
    tokens_per_s_high: float
    sharding: Sharding
    micro_batch: int
    gradient_accumulation: int
    gradient_checkpointing: Checkpointing
    device_gib: float
    headroom_gib: float
    host_ram_gib: float | None
    as_of: str | None
    gathered_on: str | None
    freshness: Freshness
    cost: Cost
    step: StepTime
    why: Note


class SpotAdvice(Frozen):
    """The best machine to be had as spot against the first option on-demand, in hours and
    dollars.

    With a deadline and a known on-demand price the run changes to on-demand when its slack runs
    out, which is in the expected hours and dollars; `probability_in_time` is that of spot alone.
    `warnings` say that availability is unknown, and name what to fall back on.
    """

    provider: str
    instance_type: str
    gpu: str
    gpu_count: int
    nodes: int
    usd_per_hour: float
    recommend: Market
    expected_hours_spot: float
    expected_usd_spot: float
    expected_usd_on_demand: float | None
    spot_hours: float
    changed_hours: float
    on_demand_usd_per_hour: float | None
    beside_usd: float
    probability_in_time: float | None
    interruptions_per_hour: float
    rate_source: Note
    break_even_interruptions_per_hour: float | None
    why: Note
    warnings: tuple[Note, ...] = ()


class CheckpointAdvice(Frozen):
    """How big a checkpoint is, how often to write it, how many to keep and where it survives.

    `on_notice` says for spot whether the warning before an interruption is long enough to save.
    """

    size_gib: float
    write_seconds: float
    interval_minutes: float
    interval_steps: int
    keep_last: int
    overhead_fraction: float
    storage: Note
    on_notice: Note | None = None
    why: Note


class Alternative(Frozen):
    """Another way to run the same job: one change, or the `parts` of several made together, and the
    memory that results.
    """

    change: Change
    parts: tuple[Note, ...] = ()
    verdict: Verdict
    device_gib: float
    why: Note


class CatalogFacts(Frozen):
    """Which prices stand behind a plan and how old they are. `age_hours` counts from `gathered_on`
    where the rows carry no date of their own."""

    as_of: str | None
    gathered_on: str | None
    age_hours: float | None
    freshness: Freshness
    offers: int


class Plan(Frozen):
    """The whole answer to one query. `tokens` are all that is trained on, over every epoch."""

    query: PlanQuery
    seq_len: int
    tokens: float
    verdict: Verdict
    estimate: MemoryEstimate
    usable_gib: float | None
    options: tuple[Option, ...]
    spot: SpotAdvice | None
    checkpoint: CheckpointAdvice | None
    provider_facts: tuple[Note, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    catalog: CatalogFacts
    assumptions: tuple[Note, ...] = ()
    warnings: tuple[Note, ...] = ()
