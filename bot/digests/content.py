"""What a digest says: what moved since this channel was last told."""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from bot.cards.bodies import DigestBody
from bot.cards.card import Card
from bot.cards.digest import digest_card
from bot.grammar import read
from bot.store.engine import Store
from bot.store.subscriptions import Subscription
from bot.store.told import last_told
from bot.wanted import catalog_filters, named_cards
from bot.watches.checking import Prices
from bot.watches.in_digest import Told, watched_now
from planner.catalog.store import Catalog, open_catalog
from planner.changes import Changes, PriceKey, moved, prices_of, told_after


class Content(NamedTuple):
    """A digest's card (None is silence), and what its readers know once they have it."""

    card: Card | None
    told: str


def content(
    store: Store,
    catalog_file: Path | None,
    usd_per_idr: float,
    key: str,
    wish: Subscription,
    now: datetime,
) -> Content:
    """The digest of `wish` now. A price is compared with the one last told, so that a move is told
    once, and many small ones are told when they add up to the threshold.
    """
    last = last_told(store, key)
    known = None if last is None else _unpacked(last[0])
    threshold = wish.threshold_percent / 100
    with open_catalog(catalog_file) as catalog:
        new = _wanted(catalog, wish, usd_per_idr)
        facts, notes = catalog.facts(now), catalog.warnings(now)
        read_at = catalog.read_at()
    watched = watched_now(
        store, wish, Prices(catalog_file, usd_per_idr), known.watches if known else {}, now
    )
    old = new if known is None else known.prices
    found = moved({} if known is None else old, new, threshold)
    if known is None:
        found = Changes(new_lows=found.new_lows, moves=(), appeared=(), vanished=())
    body = DigestBody(
        changes=found,
        catalog=facts,
        is_first=last is None,
        is_old_news=(
            last is not None and found.are_none and (read_at is None or read_at <= last[1])
        ),
    )
    silent = wish.only_on_change and last is not None and found.are_none and not watched.moved
    told = new if last is None else told_after(old, new, threshold)
    card = None if silent else digest_card(body, notes, watched.plans)
    return Content(card, _packed(_Known(told, watched.told)))


def _wanted(catalog: Catalog, wish: Subscription, usd_per_idr: float) -> dict[PriceKey, float]:
    if not wish.what.strip():
        return prices_of(catalog.shapes())
    asked = read(wish.what, usd_per_idr=usd_per_idr, reader=wish.language)
    return prices_of(
        catalog.shapes(
            gpus=named_cards(asked),
            memory_gb=asked.vram_gib,
            market=asked.market,
            max_usd_per_hour=asked.max_usd_per_hour,
            **catalog_filters(asked),
        )
    )


class _Known(NamedTuple):
    """What the readers of a digest were last told."""

    prices: Mapping[PriceKey, float]
    watches: Mapping[str, Told]


def _packed(known: _Known) -> str:
    prices = [[*key, price] for key, price in known.prices.items()]
    return json.dumps({"prices": prices, "watches": known.watches}, ensure_ascii=False)


def _unpacked(text: str) -> _Known:
    """What was kept; before there were watches it was the list of prices alone."""
    kept = json.loads(text)
    rows = kept if isinstance(kept, list) else kept["prices"]
    watches = {} if isinstance(kept, list) else kept["watches"]
    return _Known(
        {PriceKey(*row[:-1]): row[-1] for row in rows},
        {key: Told(*one) for key, one in watches.items()},
    )
