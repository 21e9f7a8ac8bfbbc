"""What moved between two catalogs: new lows, moves over a threshold, new and vanished machines."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from planner.base import Frozen
from planner.catalog.offer import Shape
from planner.query import Market

#: Prices closer than this are the same: feeds round to a tenth of a cent.
_SAME_USD = 0.0005


class Machine(Frozen):
    """One kind of machine of one provider in one market; `regions` are all where the same is said
    of it, "" where the region is unknown.
    """

    provider: str
    instance_type: str
    gpu: str
    gpu_count: int
    market: Market
    regions: tuple[str, ...]


class Move(Frozen):
    """A machine whose price per hour moved; `fraction` is new / old - 1."""

    machine: Machine
    old_usd_per_hour: float
    new_usd_per_hour: float
    fraction: float


class Listing(Frozen):
    """A machine that is new or has vanished, at the price per hour it has or had."""

    machine: Machine
    usd_per_hour: float


class NewLow(Frozen):
    """The lowest price of one GPU-hour of a card fell, or the card is offered for the first time
    (`old_usd_per_gpu_hour` is None).
    """

    gpu: str
    market: Market
    old_usd_per_gpu_hour: float | None
    new_usd_per_gpu_hour: float
    machine: Machine


class Changes(Frozen):
    """Everything that moved, the largest first."""

    new_lows: tuple[NewLow, ...]
    moves: tuple[Move, ...]
    appeared: tuple[Listing, ...]
    vanished: tuple[Listing, ...]

    @property
    def are_none(self) -> bool:
        """Whether nothing moved."""
        return not (self.new_lows or self.moves or self.appeared or self.vanished)


class PriceKey(NamedTuple):
    """One machine of one provider, in one market and region ("" where that is unknown)."""

    provider: str
    instance_type: str
    gpu: str
    gpu_count: int
    market: Market
    region: str


def changes(before: Iterable[Shape], after: Iterable[Shape], threshold_fraction: float) -> Changes:
    """What moved from `before` to `after`; moves of less than `threshold_fraction` are left out.

    A machine is the same where provider, type, card, count, market and region are. What is said of
    it in several regions alike is said once.
    """
    return moved(prices_of(before), prices_of(after), threshold_fraction)


def moved(
    old: Mapping[PriceKey, float], new: Mapping[PriceKey, float], threshold_fraction: float
) -> Changes:
    """What moved from the prices per hour `old` to `new`, as `changes` says it."""
    moves: dict[tuple[PriceKey, float, float], list[str]] = {}
    for key, price in new.items():
        was = old.get(key)
        if was is None or abs(price - was) <= _SAME_USD:
            continue
        if abs(price / was - 1) >= threshold_fraction:
            moves.setdefault((key._replace(region=""), was, price), []).append(key.region)
    found = [
        Move(
            machine=_machine(key, regions),
            old_usd_per_hour=was,
            new_usd_per_hour=price,
            fraction=price / was - 1,
        )
        for (key, was, price), regions in moves.items()
    ]
    return Changes(
        new_lows=_new_lows(old, new),
        moves=tuple(sorted(found, key=lambda one: (-abs(one.fraction), _name(one.machine)))),
        appeared=_listings(new, old),
        vanished=_listings(old, new),
    )


def told_after(
    old: Mapping[PriceKey, float], new: Mapping[PriceKey, float], threshold_fraction: float
) -> dict[PriceKey, float]:
    """What a reader of the changes from `old` to `new` knows: a price whose move was too small to
    be told stays as it was, so that the next one counts from what was told.
    """
    return {
        key: was
        if (was := old.get(key)) is not None and abs(price / was - 1) < threshold_fraction
        else price
        for key, price in new.items()
    }


def prices_of(shapes: Iterable[Shape]) -> dict[PriceKey, float]:
    """The lowest price per hour of every machine; what costs nothing has no price."""
    found: dict[PriceKey, float] = {}
    for shape in shapes:
        offer = shape.offer
        if shape.usd_per_hour <= 0:
            continue
        market: Market = "spot" if shape.market == "spot" else "on_demand"
        key = PriceKey(
            offer.provider, offer.instance_type, offer.gpu, offer.gpu_count, market,
            offer.region or "",
        )  # fmt: skip
        found[key] = min(shape.usd_per_hour, found.get(key, shape.usd_per_hour))
    return found


def _listings(
    here: Mapping[PriceKey, float], there: Mapping[PriceKey, float]
) -> tuple[Listing, ...]:
    """Machines that are only `here`, by the price of one GPU."""
    regions: dict[tuple[PriceKey, float], list[str]] = {}
    for key, price in here.items():
        if key not in there:
            regions.setdefault((key._replace(region=""), price), []).append(key.region)
    found = [
        Listing(machine=_machine(key, where), usd_per_hour=price)
        for (key, price), where in regions.items()
    ]
    return tuple(
        sorted(
            found, key=lambda one: (one.usd_per_hour / one.machine.gpu_count, _name(one.machine))
        )
    )


def _new_lows(old: Mapping[PriceKey, float], new: Mapping[PriceKey, float]) -> tuple[NewLow, ...]:
    were, are = _lows(old), _lows(new)
    found = []
    for (gpu, market), key in are.items():
        now = new[key] / key.gpu_count
        was_key = were.get((gpu, market))
        was = None if was_key is None else old[was_key] / was_key.gpu_count
        if was is None or now < was - _SAME_USD:
            found.append(
                NewLow(
                    gpu=gpu,
                    market=market,
                    old_usd_per_gpu_hour=was,
                    new_usd_per_gpu_hour=now,
                    machine=_machine(key, _regions_at(new, key)),
                )
            )
    return tuple(sorted(found, key=_fall))


def _lows(prices: Mapping[PriceKey, float]) -> dict[tuple[str, Market], PriceKey]:
    """The machine with the cheapest GPU-hour of every card and market."""
    found: dict[tuple[str, Market], PriceKey] = {}
    for key in sorted(prices):
        low = found.get((key.gpu, key.market))
        if low is None or prices[key] / key.gpu_count < prices[low] / low.gpu_count:
            found[key.gpu, key.market] = key
    return found


def _regions_at(prices: Mapping[PriceKey, float], key: PriceKey) -> list[str]:
    """Where the same machine costs the same."""
    return [
        one.region
        for one, price in prices.items()
        if one._replace(region=key.region) == key and price == prices[key]
    ]


def _fall(one: NewLow) -> tuple[float, str, str]:
    """Largest fall first, cards that were not offered before last."""
    was = one.old_usd_per_gpu_hour
    return (1.0 if was is None else one.new_usd_per_gpu_hour / was - 1, one.gpu, one.market)


def _machine(key: PriceKey, regions: Iterable[str]) -> Machine:
    return Machine(
        provider=key.provider,
        instance_type=key.instance_type,
        gpu=key.gpu,
        gpu_count=key.gpu_count,
        market=key.market,
        regions=tuple(sorted(set(regions))),
    )


def _name(machine: Machine) -> tuple[str, str, str]:
    return (machine.provider, machine.instance_type, machine.market)
