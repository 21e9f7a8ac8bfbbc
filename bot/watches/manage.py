"""/watch in a channel: make one, list them, pause, resume, delete them, or send one at once."""

from datetime import datetime
from typing import NamedTuple

from bot.cards.notice import NOTES_SHOWN
from bot.digests.manage import VERBS, Channel, idle_warning
from bot.escaping import clip
from bot.store.engine import Store
from bot.store.watches import MOST, Watch, add, forget, of_channel, pause, tell_now
from bot.watches.checking import Prices, message
from bot.watches.looking import Look, look, prices_as_of
from bot.watches.wish import Wish, read_wish
from planner.errors import BadInput, Refusal
from planner.notes import Note, note
from planner.query import Language
from planner.watching import REARM_FRACTION, first_standing

#: How far under the price now a limit is that nobody named.
DEFAULT_FRACTION = 0.10
_CHANGES = frozenset({"pause", "resume", "delete"})
#: Letters of a question in a list of them, so that ten fit one message.
_SHOWN = 80


class Request(NamedTuple):
    """What was typed behind /watch, in which language to answer, and when.

    Where `limit_from_price` is set the text's own limits are left aside.
    """

    typed: str
    language: Language
    now: datetime
    limit_from_price: bool = False


def manage(store: Store, where: Channel, request: Request, prices: Prices) -> tuple[Note, ...]:
    """What happened, in sentences; a mistake is one that says what to change."""
    first, _, rest = request.typed.strip().partition(" ")
    verb = VERBS.get(first.lower())
    if verb == "list":
        return _listed(store, where)
    if not where.may_manage:
        return (note("watches.refused"),)
    if verb in _CHANGES:
        return (_changed(store, where, verb, rest.strip()),)
    try:
        if verb == "test":
            return _tested(store, where, rest.strip(), prices, request.now)
        return _made(store, where, request, prices)
    except Refusal as refusal:
        return (refusal.note,)


def _made(store: Store, where: Channel, request: Request, prices: Prices) -> tuple[Note, ...]:
    text, language, now = request.typed.strip(), request.language, request.now
    wish = read_wish(text, language, prices.usd_per_idr)
    if request.limit_from_price:
        wish = wish._replace(limit_usd=None, limit_notes=())
    seen = prices_as_of(prices.catalog_file, now)
    found = look(wish.asked, wish.figure, prices.catalog_file, now)
    limit_usd, assumed = _limit(wish, found)
    watch = Watch(
        surface=where.surface,
        place=where.place,
        channel=where.channel,
        creator=where.person,
        language=language,
        text=text,
        figure=wish.figure,
        limit_usd=limit_usd,
        standing=first_standing(found.usd, limit_usd),
        machine=found.machine,
        checked_until=seen or now,
    )
    key = add(store, watch)
    if key is None:
        return (note("watches.too_many", most=MOST),)
    said = (
        _begun(key, watch, found),
        *assumed,
        *wish.limit_notes,
        *idle_warning(store, now),
        *found.assumptions,
    )
    return said[:NOTES_SHOWN]


def _limit(wish: Wish, found: Look) -> tuple[float, tuple[Note, ...]]:
    """The limit said; where none was, 10 % under the price now, which is what somebody who only
    points at a price can mean by "cheaper" without being told of every cent.
    """
    if wish.limit_usd is not None:
        return wish.limit_usd, ()
    if found.usd is None:
        raise BadInput("watches.no_price_yet")
    return found.usd * (1 - DEFAULT_FRACTION), (note("watches.limit_assumed"),)


def _begun(key: str, watch: Watch, found: Look) -> Note:
    if found.usd is None:
        return note("watches.made_unpriced", id=key, what=watch.text, usd_limit=watch.limit_usd)
    return note(
        f"watches.{'made' if watch.standing.armed else 'under'}_{watch.figure}",
        id=key,
        what=watch.text,
        usd_now=found.usd,
        machine=found.machine,
        usd_limit=watch.limit_usd,
        usd_rearm=watch.limit_usd * (1 + REARM_FRACTION),
    )


def _listed(store: Store, where: Channel) -> tuple[Note, ...]:
    found = of_channel(store, where.surface, where.place, where.channel)
    if not found:
        return (note("watches.none_here"),)
    return tuple(
        note(
            f"watches.one_{watch.figure}{'_paused' if watch.paused_because else ''}",
            id=key,
            what=clip(watch.text, _SHOWN),
            usd_limit=watch.limit_usd,
        )
        for key, watch in found.items()
    )


def _tested(
    store: Store, where: Channel, key: str, prices: Prices, now: datetime
) -> tuple[Note, ...]:
    """Have the channel told where the watch stands, on the way that its crossings take."""
    watch = of_channel(store, where.surface, where.place, where.channel).get(key)
    if watch is None:
        return (note("watches.no_such", id=key or "?"),)
    asked = read_wish(watch.text, watch.language, prices.usd_per_idr).asked
    found = look(asked, watch.figure, prices.catalog_file, now)
    if found.usd is None:
        return (note("watches.plan_unpriced", what=watch.text),)
    tell_now(store, key, message(watch, found, is_test=True), now)
    return (note("watches.did_test", id=key), *idle_warning(store, now))


def _changed(store: Store, where: Channel, verb: str, key: str) -> Note:
    if key not in of_channel(store, where.surface, where.place, where.channel):
        return note("watches.no_such", id=key or "?")
    if verb == "delete":
        forget(store, key)
    else:
        pause(store, key, "asked" if verb == "pause" else "")
    return note(f"watches.did_{verb}", id=key)
