"""The digest card: what moved since a channel's last digest."""

from bot.cards.bodies import DigestBody, NotesBody, WatchedPlan, WatchesBody
from bot.cards.card import Card, Section
from bot.escaping import clip
from bot.language import Words
from planner.changes import Machine
from planner.notes import Note

#: Lines of each kind of change; the others are counted.
SHOWN = 6
_LONGEST = 280
#: Characters of all lines: escaped, they still fit one message of every chat.
_MOST = 1700


def digest_card(
    body: DigestBody, notes: tuple[Note, ...] = (), watched: tuple[WatchedPlan, ...] = ()
) -> Card:
    """What moved, what to know of the prices behind it, such as that they are old, and what the
    plans watched in the channel cost.
    """
    sections = [Section(name="digest", priority=0, body=body)]
    if notes:
        sections.append(Section(name="warnings", priority=1, body=NotesBody(notes=notes)))
    if watched:
        sections.append(Section(name="watches", priority=2, body=WatchesBody(plans=watched)))
    return Card(kind="digest", tone="neutral", sections=tuple(sections))


def digest_lines(body: DigestBody, words: Words) -> tuple[str, ...]:
    """The digest as plain text, one string a line; never none at all."""
    found = body.changes
    lines: list[str] = []
    if body.is_old_news:
        lines.append(words.t("digests.old_news"))
    elif body.is_first:
        lines.append(words.t("digests.first"))
    elif found.are_none:
        lines.append(words.t("digests.none"))
    for low in found.new_lows[:SHOWN]:
        lines.append(
            words.t(
                "changes.first_price" if low.old_usd_per_gpu_hour is None else "changes.new_low",
                gpu=low.gpu,
                market=words.t(f"cards.market_{low.market}"),
                old_usd=low.old_usd_per_gpu_hour or 0.0,
                new_usd=low.new_usd_per_gpu_hour,
                machine=_machine(low.machine, words),
            )
        )
    for move in found.moves[:SHOWN]:
        lines.append(
            words.t(
                "changes.move",
                machine=_machine(move.machine, words),
                old_usd=move.old_usd_per_hour,
                new_usd=move.new_usd_per_hour,
                moved_fraction=move.fraction,
            )
        )
    for code, listed in (("appeared", found.appeared), ("vanished", found.vanished)):
        for one in listed[:SHOWN]:
            machine = _machine(one.machine, words)
            lines.append(words.t(f"changes.{code}", machine=machine, usd_per_hour=one.usd_per_hour))
    kinds = (found.new_lows, found.moves, found.appeared, found.vanished)
    more = sum(max(0, len(kind) - SHOWN) for kind in kinds)
    lines = [clip(line, _LONGEST) for line in lines]
    while sum(map(len, lines)) > _MOST:
        lines.pop()
        more += 1
    return (*lines, *([words.t("digests.more", count=more)] if more else []))


def _machine(machine: Machine, words: Words) -> str:
    known = [region for region in machine.regions if region]
    where = ", ".join(known[:2]) + (f" +{len(known) - 2}" if len(known) > 2 else "")
    about = ", ".join(part for part in (words.t(f"cards.market_{machine.market}"), where) if part)
    name = f"{machine.gpu_count}x {machine.gpu} {machine.provider} {machine.instance_type}"
    return f"{clip(name, 120)} ({clip(about, 80)})"
