"""What a channel's watched plans cost at a digest, against what its last digest told."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from bot.cards.bodies import WatchedPlan
from bot.store.engine import Store
from bot.store.subscriptions import Subscription
from bot.store.watches import Watch, of_channel
from bot.watches.checking import Prices
from bot.watches.looking import look
from bot.watches.wish import read_wish
from planner.errors import Refusal


class Told(NamedTuple):
    """What a digest told of a watched plan; None is an unknown price, "" an unknown machine."""

    usd: float | None
    machine: str


class WatchedNow(NamedTuple):
    """The plans watched in a channel, whether one of them `moved` by the threshold or more, and
    what is told of them, by the id of the watch.
    """

    plans: tuple[WatchedPlan, ...]
    moved: bool
    told: dict[str, Told]


def watched_now(
    store: Store, wish: Subscription, prices: Prices, before: Mapping[str, Told], now: datetime
) -> WatchedNow:
    """What is watched in the channel of `wish` now, against `before`.

    Moved is a price by the threshold of `wish`, or one that was unknown and is known, or the other
    way round. A watch made since the last digest has not moved.
    """
    watches = of_channel(store, wish.surface, wish.place, wish.channel)
    plans, told, moved = [], {}, False
    for key, watch in watches.items():
        if watch.paused_because:
            continue
        last, found = before.get(key), _look(watch, prices, now)
        told[key] = found
        moved = moved or (last is not None and _moved(last, found, wish.threshold_percent / 100))
        plans.append(
            WatchedPlan(
                what=watch.text,
                figure=watch.figure,
                usd=found.usd,
                before_usd=last.usd if last else None,
                machine=found.machine,
                machine_before=last.machine if last else "",
                is_new=last is None,
            )
        )
    return WatchedNow(tuple(plans), moved, told)


def _look(watch: Watch, prices: Prices, now: datetime) -> Told:
    try:
        asked = read_wish(watch.text, watch.language, prices.usd_per_idr).asked
        found = look(asked, watch.figure, prices.catalog_file, now)
    except Refusal:  # the worker pauses such a watch and tells its creator
        return Told(None, "")
    return Told(found.usd, found.machine)


def _moved(last: Told, now: Told, threshold_fraction: float) -> bool:
    if last.usd is None or now.usd is None:
        return (last.usd is None) != (now.usd is None)
    return abs(now.usd / last.usd - 1) >= threshold_fraction
