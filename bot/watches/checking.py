"""Looking at what is watched: each crossing of a limit is written down before anybody is told."""

import json
import logging
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from bot.cards.bodies import WatchBody
from bot.cards.watch import watch_card
from bot.grammar.command import Command
from bot.language import words
from bot.render import render
from bot.store.engine import Store
from bot.store.watches import Watch, keep_check, pause, unchecked
from bot.watches.looking import Look, look, prices_as_of
from bot.watches.wish import read_wish
from planner.errors import Refusal
from planner.watching import step

log = logging.getLogger(__name__)

#: Watches looked at in one go: planning them all at once would hold up the digests that are due.
MOST_CHECKED = 100
#: Why a watch is paused whose question can no longer be read.
UNREADABLE = "unreadable"


class Prices(NamedTuple):
    """What a look depends on: the catalog and the rate of the rupiah."""

    catalog_file: Path | None
    usd_per_idr: float


def check(store: Store, prices: Prices, now: datetime) -> tuple[Watch, ...]:
    """Look at the watches that did not see the newest prices yet, as many as one go may.

    What crossed its limit is written down with its message. Gives the watches that had to be
    paused, because their question can no longer be read. A Refusal is a catalog that cannot be.
    """
    as_of = prices_as_of(prices.catalog_file, now)
    if as_of is None:
        return ()
    unreadable = []
    for key, watch in unchecked(store, as_of, MOST_CHECKED).items():
        try:
            asked = read_wish(watch.text, watch.language, prices.usd_per_idr).asked
        except Refusal:
            pause(store, key, UNREADABLE)
            unreadable.append(watch)
        else:
            checked, payload = _checked(watch, asked, prices, as_of, now)
            keep_check(store, key, watch, checked, payload, now)
    return tuple(unreadable)


def _checked(
    watch: Watch, asked: Command, prices: Prices, as_of: datetime, now: datetime
) -> tuple[Watch, str | None]:
    """Where `watch` stands after a look, and its message where it crossed its limit.

    What cannot be planned this time, say because the model's config could not be fetched, has an
    unknown price.
    """
    seen = watch._replace(checked_until=as_of)
    try:
        found = look(asked, watch.figure, prices.catalog_file, now)
    except Refusal as refusal:
        log.warning("a watch could not be priced (%s)", refusal.note.code)
        return seen, None
    standing, crossed = step(watch.standing, found.usd, watch.limit_usd)
    seen = seen._replace(standing=standing, machine=found.machine or watch.machine)
    return seen, message(watch, found) if crossed else None


def message(watch: Watch, found: Look, *, is_test: bool = False) -> str:
    """What `watch` tells of the price found, as its platform takes it."""
    if found.usd is None or found.offer is None:
        raise ValueError("nothing to tell of a price that is unknown")
    body = WatchBody(
        what=watch.text,
        figure=watch.figure,
        limit_usd=watch.limit_usd,
        usd=found.usd,
        before_usd=watch.standing.last_usd,
        offer=found.offer,
        machine_before=watch.machine,
        is_test=is_test,
    )
    card = watch_card(body, found.catalog, found.assumptions, found.warnings)
    payload = render(card, watch.surface, words(watch.language))
    return json.dumps(payload, ensure_ascii=False)
