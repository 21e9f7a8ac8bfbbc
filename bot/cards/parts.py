"""The breakdown as a card shows it: in tenths of a GiB that add up to the peak shown."""

from math import floor

from bot.cards.bodies import Part, PartName
from planner.memory.result import Breakdown

#: What each part of the breakdown is called on a card, in the order shown.
_SHOWN_AS: dict[str, PartName] = {
    "weights": "weights",
    "adapters": "adapters",
    "gradients": "gradients",
    "optimizer": "optimizer",
    "activations": "activations",
    "logits": "logits",
    "temporary": "temporary",
    "context": "overhead",
    "fragmentation": "overhead",
}


def rounded_parts(breakdown: Breakdown, peak_gib: float) -> tuple[Part, ...]:
    """The parts that show at one decimal, largest remainders rounded up, so the sum is right."""
    sizes: dict[PartName, float] = {}
    for field, name in _SHOWN_AS.items():
        sizes[name] = sizes.get(name, 0.0) + getattr(breakdown, field) * 10
    tenths = {name: floor(size) for name, size in sizes.items()}
    missing = round(round(peak_gib, 1) * 10) - sum(tenths.values())
    by_remainder = sorted(sizes, key=lambda name: tenths[name] - sizes[name])
    for name in by_remainder[: max(0, missing)]:
        tenths[name] += 1
    return tuple(Part(name=name, gib=count / 10) for name, count in tenths.items() if count)
