"""When a watched price is news: it gets under its limit, once each time it gets there."""

from typing import Literal, NamedTuple

#: What is watched: the price of the whole run, of an hour, or of one GPU for an hour.
WatchedFigure = Literal["run", "hour", "gpu_hour"]
#: How far above its limit a price must get before getting under it is news again. Cents of wobble
#: around the limit stay within it.
REARM_FRACTION = 0.02


class Standing(NamedTuple):
    """Where a watch stands: `armed` is whether getting under the limit is news; `last_usd` the last
    price known, None where none was yet.
    """

    armed: bool
    last_usd: float | None


class Step(NamedTuple):
    """Where a watch stands after one more look, and whether that look is to be told."""

    standing: Standing
    crossed: bool


def first_standing(usd: float | None, limit_usd: float) -> Standing:
    """Where a watch begins: one that is under its limit already has nothing to wait for, and is
    armed once its price has left.
    """
    known = _known(usd)
    return Standing(armed=known is None or known >= limit_usd, last_usd=known)


def step(standing: Standing, usd: float | None, limit_usd: float) -> Step:
    """The look that found `usd`, in the unit of `limit_usd`.

    Under is below the limit, and tells an armed watch once. The watch is armed again by a price of
    at least limit x (1 + REARM_FRACTION). A price that is unknown or zero changes nothing: it is
    neither under nor out of the zone.
    """
    known = _known(usd)
    if known is None:
        return Step(standing, False)
    if standing.armed and known < limit_usd:
        return Step(Standing(False, known), True)
    armed = standing.armed or known >= limit_usd * (1 + REARM_FRACTION)
    return Step(Standing(armed, known), False)


def _known(usd: float | None) -> float | None:
    return None if usd is None or usd <= 0 else usd
