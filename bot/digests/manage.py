"""/digest in a channel: make one, list them, pause, resume, delete them, or send one at once."""

from datetime import datetime, timedelta
from typing import NamedTuple

from bot.digests.slots import due_slots
from bot.digests.wish import read_wish
from bot.grammar import read
from bot.store.asked import ChatName
from bot.store.engine import Store
from bot.store.subscriptions import Subscription, all_of, delete, pause, subscribe, want
from bot.store.workers import LOST_AFTER, last_seen
from planner.errors import Refusal
from planner.notes import Note, note
from planner.query import Language

#: What a word at the start changes, in both languages.
VERBS = {
    "list": "list", "daftar": "list", "": "list",
    "pause": "pause", "jeda": "pause",
    "resume": "resume", "lanjut": "resume", "lanjutkan": "resume",
    "delete": "delete", "remove": "delete", "hapus": "delete",
    "test": "test", "send": "test", "uji": "test", "coba": "test", "kirim": "test",
}  # fmt: skip
#: Digests of one channel.
MOST = 10
#: Within how long the next sending is looked for.
_LOOKED_AHEAD = timedelta(days=8)


class Channel(NamedTuple):
    """Where it was asked, by whom, and whether they may manage digests there."""

    surface: ChatName
    place: str
    channel: str
    person: str
    may_manage: bool


def manage(
    store: Store, where: Channel, typed: str, language: Language, usd_per_idr: float, now: datetime
) -> tuple[Note, ...]:
    """What happened, in sentences; a mistake is one that says what to change."""
    first, _, rest = typed.strip().partition(" ")
    verb = VERBS.get(first.lower())
    if verb == "list":
        return _listed(store, where)
    if not where.may_manage:
        return (note("digests.refused"),)
    if verb is not None:
        return _changed(store, where, verb, rest.strip(), now)
    try:
        return _made(store, where, typed, language, usd_per_idr, now)
    except Refusal as refusal:
        return (refusal.note,)


def _made(
    store: Store, where: Channel, typed: str, language: Language, usd_per_idr: float, now: datetime
) -> tuple[Note, ...]:
    wish = read_wish(typed, language)
    asked = read(f"/prices {wish.what}", usd_per_idr=usd_per_idr, reader=language)
    if len(_of(store, where)) >= MOST:
        return (note("digests.too_many", most=MOST),)
    subscription = Subscription(
        surface=where.surface,
        place=where.place,
        channel=where.channel,
        creator=where.person,
        language=language,
        what=wish.what,
        rule=wish.rule,
        zone=wish.zone,
        threshold_percent=wish.threshold_percent,
        only_on_change=wish.only_on_change,
    )
    key = subscribe(store, subscription, now)
    slots = due_slots(wish.rule, wish.zone, now, now + _LOOKED_AHEAD)
    next_at = slots[0].at.astimezone(wish.zone) if slots else now
    made = note(
        "digests.made",
        id=key,
        what=wish.what or "*",
        when=f"{next_at:%Y-%m-%d %H:%M}",
        zone=wish.zone.key,
        percent=wish.threshold_percent,
    )
    assumed = () if wish.zone_said else (note("digests.zone_assumed", zone=wish.zone.key),)
    return (made, *assumed, *idle_warning(store, now), *asked.notes)


def _listed(store: Store, where: Channel) -> tuple[Note, ...]:
    found = _of(store, where)
    if not found:
        return (note("digests.none_here"),)
    return tuple(
        note(
            "digests.one_paused" if paused else "digests.one",
            id=key,
            what=wish.what or "*",
            days=", ".join(_DAYS[day] for day in sorted(wish.rule.weekdays)),
            times=", ".join(f"{at:%H:%M}" for at in wish.rule.times),
            zone=wish.zone.key,
        )
        for key, wish, paused in found
    )


_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def _changed(store: Store, where: Channel, verb: str, key: str, now: datetime) -> tuple[Note, ...]:
    if key not in {one for one, _, _ in _of(store, where)}:
        return (note("digests.no_such", id=key or "?"),)
    if verb == "delete":
        delete(store, key)
    elif verb == "test":
        want(store, key, now)
        return (note("digests.did_test", id=key), *idle_warning(store, now))
    else:
        pause(store, key, "asked" if verb == "pause" else "")
    return (note(f"digests.did_{verb}", id=key),)


def idle_warning(store: Store, now: datetime) -> tuple[Note, ...]:
    """That nothing is sent where no worker has shown itself for a while."""
    seen = last_seen(store)
    if seen is not None and now - seen < LOST_AFTER:
        return ()
    return (note("digests.no_worker"),)


def _of(store: Store, where: Channel) -> list[tuple[str, Subscription, str]]:
    mine = (where.surface, where.place, where.channel)
    return [one for one in all_of(store) if (one[1].surface, one[1].place, one[1].channel) == mine]
