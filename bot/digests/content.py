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
    threshold = wish.threshold_percent / 100
    with open_catalog(catalog_file) as catalog:
        new = _wanted(catalog, wish, usd_per_idr)
        facts, notes = catalog.facts(now), catalog.warnings(now)
        read_at = catalog.read_at()
    old = new if last is None else _unpacked(last[0])
    found = moved({}, new, threshold) if last is None else moved(old, new, threshold)
    if last is None:
        found = Changes(new_lows=found.new_lows, moves=(), appeared=(), vanished=())
    body = DigestBody(
        changes=found,
        catalog=facts,
        is_first=last is None,
        is_old_news=(
            last is not None and found.are_none and (read_at is None or read_at <= last[1])
        ),
    )
    silent = wish.only_on_change and last is not None and found.are_none
    told = new if last is None else told_after(old, new, threshold)
    return Content(None if silent else digest_card(body, notes), _packed(told))


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


def _packed(prices: Mapping[PriceKey, float]) -> str:
    return json.dumps([[*key, price] for key, price in prices.items()], ensure_ascii=False)


def _unpacked(text: str) -> dict[PriceKey, float]:
    return {PriceKey(*row[:-1]): row[-1] for row in json.loads(text)}
