"""The watch card: a watched price that got under its limit."""

from bot.cards import ages, phrases
from bot.cards.bodies import AssumedBody, NotesBody, PriceRow, WatchBody, WatchedPlan
from bot.cards.card import Card, Section, Tone
from bot.language import Words
from planner.notes import Note
from planner.plan.result import CatalogFacts, Option
from planner.watching import REARM_FRACTION

#: Assumptions shown: the first say how the question was read.
ASSUMED_SHOWN = 4


def watch_card(
    body: WatchBody,
    catalog: CatalogFacts,
    assumptions: tuple[Note, ...] = (),
    warnings: tuple[Note, ...] = (),
) -> Card:
    """What got cheap, on what, and what was assumed."""
    sections = [Section(name="watched", priority=0, body=body)]
    if warnings:
        sections.append(Section(name="warnings", priority=1, body=NotesBody(notes=warnings)))
    assumed = AssumedBody(notes=assumptions[:ASSUMED_SHOWN], catalog=catalog)
    sections.append(Section(name="assumed", priority=2, body=assumed))
    tone: Tone = "neutral" if body.is_test else "good"
    return Card(kind="watch", tone=tone, sections=tuple(sections))


def watch_lines(body: WatchBody, words: Words) -> tuple[str, ...]:
    """The figure against its limit, the machine, whether it changed, and the price's age."""
    if body.is_test:
        now = words.t(f"watches.test_{body.figure}", usd_now=body.usd, usd_limit=body.limit_usd)
        return (now, *_offer(body.offer, words))
    known = "" if body.before_usd is not None else "_first"
    told = words.t(
        f"watches.told_{body.figure}{known}",
        usd_limit=body.limit_usd,
        usd_now=body.usd,
        usd_before=body.before_usd or 0.0,
    )
    again = words.t("watches.again", usd_rearm=body.limit_usd * (1 + REARM_FRACTION))
    return (told, *_offer(body.offer, words), *_change(body, words), again)


def watched_plan_line(plan: WatchedPlan, words: Words) -> str:
    """One watched plan in a digest: what it costs against the last digest, and on what."""
    what = phrases.name(plan.what)
    if plan.usd is None:
        return words.t("watches.plan_unpriced", what=what)
    state = "first" if plan.is_new or plan.before_usd is None else "moved"
    cost = words.t(
        f"watches.plan_{state}_{plan.figure}",
        what=what,
        usd_now=plan.usd,
        usd_before=plan.before_usd or 0.0,
    )
    machine, before = phrases.name(plan.machine), phrases.name(plan.machine_before)
    changed = bool(before) and before != machine
    code = "watches.plan_now_on" if changed else "watches.plan_on"
    return f"{cost}; {words.t(code, machine=machine, before=before)}"


def _offer(offer: Option | PriceRow, words: Words) -> tuple[str, ...]:
    if isinstance(offer, Option):
        rented = f"{phrases.machine(offer, words)}: {phrases.place(offer, words)}"
        return (rented, phrases.cost(offer, words), ages.age(offer, words))
    region = (phrases.name(offer.region),) if offer.region else ()
    where = f"{phrases.name(offer.provider)} {phrases.name(offer.instance_type)}"
    market = words.t(f"cards.market_{offer.market}")
    rented = f"{offer.gpu_count}x {phrases.name(offer.gpu)}: {', '.join((where, *region, market))}"
    return (rented, ages.age(offer, words))


def _change(body: WatchBody, words: Words) -> tuple[str, ...]:
    if not body.machine_before:
        return ()
    if body.machine_before == body.machine:
        return (words.t("watches.same_machine"),)
    return (words.t("watches.other_machine", before=phrases.name(body.machine_before)),)
