"""The lines of a card that every surface shows alike: which sentence fits a body, with what in it.

Each takes a body and the reader's Words and gives plain text, which the surface's template escapes.
"""

from collections.abc import Sequence

from bot.cards import ages
from bot.cards.bodies import ChoiceBody, MemoryBody, PriceRow, VerdictBody
from bot.escaping import clean, clip
from bot.language import Words
from planner.notes import Note, NoteValue
from planner.plan.result import Alternative, CheckpointAdvice, Cost, Option, SpotAdvice

#: Longest name from a catalog or a note that a card shows, longest in a table, longest sentence.
NAME_LENGTH = 80
CELL_LENGTH = 40
SENTENCE_LENGTH = 400


def name(text: str) -> str:
    """A name that somebody else wrote, on one line and of bounded length."""
    return clip(clean(text), NAME_LENGTH)


def say(note: Note, words: Words) -> str:
    """The words of a note, with its values cleaned and of bounded length."""
    values = {key: _tame(value) for key, value in note.values.items()}
    return clip(words.t(note.code, **values), SENTENCE_LENGTH)


def _tame(value: NoteValue) -> NoteValue:
    if isinstance(value, str):
        return name(value)
    return tuple(name(item) for item in value) if isinstance(value, tuple) else value


def machine(rented: VerdictBody | Option | SpotAdvice, words: Words) -> str:
    """What is rented: "8x H100-SXM5", or "2 nodes of 8x H100-SXM5"."""
    gpu = words.t("cards.unknown") if rented.gpu is None else name(rented.gpu)
    if rented.gpu_count is None:
        return gpu
    one = f"{rented.gpu_count // max(1, rented.nodes)}x {gpu}"
    return one if rented.nodes == 1 else words.t("cards.nodes", nodes=rented.nodes, machine=one)


def subject(verdict: VerdictBody, words: Words) -> str:
    """What is asked about: model, method, length and batch, as far as they are known."""
    method = words.t(f"cards.method_{verdict.method}")
    if not verdict.method_said:
        method = words.t("cards.method_not_said", method=method)
    parts = [name(verdict.model), method]
    if verdict.seq_len is not None:
        parts.append(words.t("cards.tokens", count=verdict.seq_len))
    if verdict.micro_batch is not None:
        parts.append(words.t("cards.batch", micro_batch=verdict.micro_batch))
    return ", ".join(parts)


def headline(verdict: VerdictBody, words: Words) -> str:
    """The verdict in one sentence: on what, and with how much room."""
    if verdict.gpu is None and verdict.vram_gib is None:
        return words.t(f"cards.nowhere_{verdict.verdict}", needed_gib=verdict.needed_gib)
    where = _judged_on(verdict, words)
    if verdict.usable_gib is None or verdict.headroom_gib is None:
        return words.t("cards.unjudged", machine=where, needed_gib=verdict.needed_gib)
    return words.t(
        f"cards.headline_{verdict.verdict}",
        machine=where,
        needed_gib=verdict.needed_gib,
        usable_gib=verdict.usable_gib,
        room_gib=abs(verdict.headroom_gib),
    )


def _judged_on(verdict: VerdictBody, words: Words) -> str:
    if verdict.gpu is None and verdict.vram_gib is not None:
        return words.t("cards.any_gpu", count=verdict.gpu_count or 1, size=verdict.vram_gib)
    return machine(verdict, words)


def place(option: Option, words: Words) -> str:
    """Where to rent an option: provider, type, region and market."""
    region = [name(option.region)] if option.region else []
    market = words.t(f"cards.market_{option.market}")
    return ", ".join([f"{name(option.provider)} {name(option.instance_type)}", *region, market])


def cost(option: Option, words: Words) -> str:
    """What an option costs by the hour and for the run."""
    return words.t(
        "cards.cost",
        usd_per_hour=option.usd_per_hour,
        run_hours=option.hours,
        low_hours=option.hours_low,
        high_hours=option.hours_high,
        usd_total=option.usd_total,
    )


def cost_parts(cost: Cost, words: Words) -> str:
    """Where the hours and dollars of a run go, with what is unknown by name."""
    hours = words.t(
        "cards.cost_hours",
        setup_hours=cost.setup_hours,
        training_hours=cost.training_hours,
        saving_hours=cost.saving_hours,
    )
    machine = words.t("cards.cost_compute", usd=cost.compute_usd, billed_hours=cost.billed_hours)
    others = (("storage", cost.storage_usd), ("egress", cost.egress_usd))
    parts = [
        words.t(f"cards.cost_{name}_unknown")
        if usd is None
        else words.t(f"cards.cost_{name}", usd=usd)
        for name, usd in others
    ]
    return f"{hours}; {', '.join([machine, *parts])}"


def set_up(option: Option, words: Words) -> str:
    """How the job runs on an option: fabric, sharding, batch and checkpointing."""
    parts = [fabric(option.interconnect, words)]
    if option.sharding != "none":
        parts.append(words.t(f"cards.sharding_{option.sharding}"))
    parts.append(
        words.t(
            "cards.batch_steps",
            micro_batch=option.micro_batch,
            accumulation=option.gradient_accumulation,
        )
    )
    parts.append(words.t(f"cards.checkpointing_{option.gradient_checkpointing}"))
    if option.headroom_gib < 0:
        parts.append(words.t("cards.no_room", short_gib=-option.headroom_gib))
    else:
        parts.append(words.t("cards.room", room_gib=option.headroom_gib))
    return ", ".join(parts)


def option_rows(options: Sequence[Option], words: Words) -> tuple[tuple[str, ...], ...]:
    """Options as table cells: label, machine, provider, market, price of an hour, hours, price."""
    return tuple(
        (
            words.t(f"cards.label_{option.label}"),
            machine(option, words),
            name(option.provider),
            words.t(f"cards.market_{option.market}"),
            words.t("cards.per_hour", usd_per_hour=option.usd_per_hour),
            words.hours(option.hours),
            words.usd(option.usd_total),
        )
        for option in options
    )


def option_details(option: Option, words: Words) -> tuple[str, ...]:
    """What the table of options leaves out: the reason, the place and price's age, the set-up."""
    region = [name(option.region)] if option.region else []
    where = ", ".join([name(option.instance_type), *region, ages.age(option, words)])
    return (say(option.why, words), where, set_up(option, words))


def price_rows(rows: Sequence[PriceRow], words: Words) -> tuple[tuple[str, ...], ...]:
    """Prices as table cells under a row of headings: machine, provider, type and region, market,
    price of an hour, price of a GPU hour, day of the price.
    """
    columns = (
        "machine",
        "provider",
        "type",
        "market",
        "usd_per_hour",
        "usd_per_gpu_hour",
        "priced",
    )
    headings = tuple(words.t(f"cards.column_{column}") for column in columns)
    return (headings, *(_price_cells(row, words) for row in rows))


def _price_cells(row: PriceRow, words: Words) -> tuple[str, ...]:
    unknown = words.t("cards.unknown")
    machine = f"{row.gpu_count}x {row.gpu}"
    where = f"{row.instance_type}, {row.region}" if row.region else row.instance_type
    prices = (row.usd_per_hour, row.usd_per_gpu_hour)
    return (
        *(clip(name(cell), CELL_LENGTH) for cell in (machine, row.provider, where)),
        words.t(f"cards.market_{row.market}"),
        *(unknown if price is None else words.usd(price) for price in prices),
        ages.priced(row, words),
    )


def fabric(interconnect: str, words: Words) -> str:
    """`nvlink+infiniband` in words; a fabric without words of its own is shown as it is."""
    return " + ".join(_fabric(part, words) for part in interconnect.split("+"))


def _fabric(part: str, words: Words) -> str:
    key = "cards.fabric_" + part.replace("-", "_")
    found = words.t(key)
    return name(part) if found == key else found


def choice(body: ChoiceBody, words: Words) -> tuple[str, ...]:
    """What to rent, in lines: machine and place, cost, and the on-demand cost beside a spot one."""
    option = body.option
    if option is None:
        return (words.t(f"cards.no_offer_{body.verdict}"),)
    lines = [
        f"{machine(option, words)}: {place(option, words)}",
        cost(option, words),
        cost_parts(option.cost, words),
    ]
    if option.market == "spot" and body.on_demand_usd_total is None:
        lines.append(words.t("cards.on_demand_unknown"))
    elif option.market == "spot" and body.on_demand_usd_total is not None:
        lines.append(words.t("cards.on_demand_instead", usd_total=body.on_demand_usd_total))
    return tuple(lines)


def memory(body: MemoryBody, words: Words) -> str:
    """The peak, what it has to fit into, and the likely range."""
    key = "cards.memory_unknown_room" if body.usable_gib is None else "cards.memory_of"
    return words.t(
        key,
        peak_gib=body.peak_gib,
        usable_gib=body.usable_gib or 0.0,
        low_gib=body.low_gib,
        high_gib=body.high_gib,
    )


def parts(body: MemoryBody, words: Words) -> tuple[str, ...]:
    """Each part of the peak with its GiB."""
    return tuple(f"{words.t(f'cards.part_{p.name}')} {words.gib(p.gib)}" for p in body.parts)


def parameters(body: MemoryBody, words: Words) -> str:
    """How many parameters are trained and held; in a mixture of experts also the active ones."""
    estimate = body.estimate
    sparse = estimate.active_params != estimate.total_params
    return words.t(
        "cards.parameters_sparse" if sparse else "cards.parameters",
        trained=_count(estimate.trainable_params, words),
        total=_count(estimate.total_params, words),
        active=_count(estimate.active_params, words),
    )


def _count(number: int, words: Words) -> str:
    if number >= 1_000_000_000:
        return words.t("cards.billions", count=words.number(number / 1e9, 1))
    return words.t("cards.millions", count=words.number(number / 1e6, 1))


def spot(advice: SpotAdvice, words: Words) -> tuple[str, ...]:
    """Spot or on-demand in money and hours, the rate at which the answer flips, and why."""
    known = "" if advice.expected_usd_on_demand is not None else "_unknown"
    answer = words.t(
        f"cards.spot_{advice.recommend}{known}",
        usd_spot=advice.expected_usd_spot,
        spot_hours=advice.expected_hours_spot,
        usd_on_demand=advice.expected_usd_on_demand or 0.0,
    )
    flip = advice.break_even_interruptions_per_hour
    key = "cards.spot_rate" if flip is None else f"cards.spot_flips_{advice.recommend}"
    rate = words.t(
        key,
        break_even=_rate(flip or 0.0, words),
        rate=_rate(advice.interruptions_per_hour, words),
        source=say(advice.rate_source, words),
    )
    where = words.t(
        "cards.spot_machine",
        machine=machine(advice, words),
        provider=name(advice.provider),
        instance_type=name(advice.instance_type),
        usd_per_hour=advice.usd_per_hour,
    )
    return (answer, where, rate, say(advice.why, words), *(say(w, words) for w in advice.warnings))


def _rate(per_hour: float, words: Words) -> str:
    """A rate with at least two decimals, and as many as a small one needs to be within 5 %."""
    decimals = 2
    while decimals < 6 and abs(round(per_hour, decimals) - per_hour) > 0.05 * per_hour:
        decimals += 1
    return words.number(per_hour, decimals)


def checkpoint(advice: CheckpointAdvice, words: Words) -> tuple[str, ...]:
    """How big, how often, how many, at what cost; where it survives; why; how to resume."""
    rhythm = words.t(
        "cards.checkpoint",
        size_gib=advice.size_gib,
        every_hours=advice.interval_minutes / 60,
        steps=advice.interval_steps,
        keep_last=advice.keep_last,
        seconds=words.number(max(1, round(advice.write_seconds))),
        overhead_fraction=advice.overhead_fraction,
    )
    resume = words.t("cards.checkpoint_resume")
    contents = words.t("cards.checkpoint_contents", contents=say(advice.why, words))
    storage = words.t("cards.checkpoint_storage", storage=say(advice.storage, words))
    notice = () if advice.on_notice is None else (say(advice.on_notice, words),)
    return (rhythm, contents, storage, *notice, resume)


def alternative(other: Alternative, words: Words) -> str:
    """One other way to run the job: what becomes of it, then what changes."""
    verdict = words.t(f"cards.verdict_{other.verdict}")
    change = say(other.why, words)
    if other.parts:
        change = f"{' + '.join(say(part, words) for part in other.parts)}: {change}"
    return words.t("cards.alternative", verdict=verdict, change=change)
