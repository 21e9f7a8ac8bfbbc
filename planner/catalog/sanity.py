"""Which prices can be what somebody pays: by what the same card costs elsewhere."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from math import inf

from planner.catalog.identity import Distrusted
from planner.catalog.offer import Offer
from planner.gpus.gpu import Gpu

_FORM_OR_SIZE = re.compile(r"-(SXM\d?|PCIe|NVL)\b.*$|-\d+GB$")
#: A price per GPU-hour below this share of the lowest bundled one, or above this multiple of the
#: highest, is no price of the card: one GPU's price for a node, a host without its GPUs, a filler.
_LOW_SHARE = 0.25
_HIGH_MULTIPLE = 4.0
#: Spot may be as low as this share of the lowest on-demand price.
_SPOT_SHARE = 0.08
#: Prices this close are the same.
_SAME_PRICE = 1.001
#: A spot price that is one and the same for so many cards, and most of a list, is an auction's
#: floor.
_CARDS_AT_THE_FLOOR = 3


def price_of(cell: str) -> float | None:
    """The number in a cell; blank, zero, infinite or no number is unknown."""
    try:
        price = float(cell)
    except ValueError:
        return None
    return price if 0 < price < inf else None


def lower_of(one: float | None, other: float | None) -> float | None:
    """The lower of two prices; an unknown one is not lower than any."""
    return min((price for price in (one, other) if price is not None), default=None)


def refuse_odd_price(gpu: Gpu, count: int, on_demand: float | None, spot: float | None) -> None:
    """Distrusted where a price cannot be that of `count` such cards."""
    known = _known_prices().get(_model(gpu.name))
    if known is None:
        return
    low, high = known[0] * _LOW_SHARE * count, known[1] * _HIGH_MULTIPLE * count
    if on_demand is not None and not low <= on_demand <= high:
        raise Distrusted("catalog.quarantine_price", gpu=gpu.name, usd_per_hour=on_demand)
    if spot is not None and not known[0] * _SPOT_SHARE * count <= spot <= high:
        raise Distrusted("catalog.quarantine_price", gpu=gpu.name, usd_per_hour=spot)


class OneCardPrices:
    """The lowest price of one card on its own, by card and market, in one list."""

    def __init__(self, priced: Iterable[tuple[str, str, int, float | None]]) -> None:
        """`priced` are card, market, number of cards and price, as the list has them."""
        self._least: dict[tuple[str, str], float] = {}
        for card, market, count, price in priced:
            if count == 1 and price is not None:
                known = self._least.get((card, market))
                self._least[card, market] = price if known is None else min(price, known)

    def refuse(self, card: str, market: str, count: int, price: float | None) -> None:
        """Distrusted where `count` cards are listed at the price of one: nobody sells them so."""
        one = self._least.get((card, market))
        if count > 1 and price is not None and one is not None and price <= one * _SAME_PRICE:
            raise Distrusted(
                "catalog.quarantine_price_of_one", gpu=card, gpu_count=count, usd_per_hour=price
            )


def true_spot(on_demand: float | None, spot: float | None) -> float | None:
    """The spot price, None where it is not below on-demand: a zone without spot repeats it."""
    return None if spot is not None and on_demand is not None and spot >= on_demand else spot


def without_auction_floors(offers: Iterable[Offer]) -> list[Offer]:
    """The offers without spot prices that are the same per GPU whatever the card."""
    read = list(offers)
    cards: dict[float, set[str]] = defaultdict(set)
    listed: Counter[float] = Counter()
    for one in read:
        if (price := _spot_per_gpu(one)) is not None:
            cards[price].add(one.gpu)
            listed[price] += 1
    most = listed.total() / 2
    floors = {
        price
        for price, names in cards.items()
        if len(names) >= _CARDS_AT_THE_FLOOR and listed[price] > most
    }
    return [
        one._replace(spot_usd_per_hour=None) if _spot_per_gpu(one) in floors else one
        for one in read
    ]


def _spot_per_gpu(offer: Offer) -> float | None:
    spot = offer.spot_usd_per_hour
    return None if spot is None else round(spot / offer.gpu_count, 4)


@cache
def _known_prices() -> dict[str, tuple[float, float]]:
    """The lowest and highest on-demand price of one GPU-hour of each model among the bundled
    offers, whatever its form and memory.
    """
    from planner.catalog.sources.bundled import bundled_offers

    found: dict[str, list[float]] = defaultdict(list)
    for offer in bundled_offers():
        if offer.on_demand_usd_per_hour is not None:
            found[_model(offer.gpu)].append(offer.on_demand_usd_per_hour / offer.gpu_count)
    return {model: (min(prices), max(prices)) for model, prices in found.items()}


def _model(gpu: str) -> str:
    """The name without form factor and memory: "V100-SXM2-16GB" is a V100."""
    return _FORM_OR_SIZE.sub("", gpu)
