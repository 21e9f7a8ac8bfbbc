"""Counters of watches, for whoever watches the worker."""

from prometheus_client import Counter

from bot.metrics import REGISTRY

ATTEMPTS = Counter(
    "muat_watch_attempts",
    "Tries to tell that a watched price got under its limit, by what they ended in.",
    ["state"],
    registry=REGISTRY,
)
