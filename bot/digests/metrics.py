"""Counters of digests, for whoever watches the worker."""

from prometheus_client import Counter

from bot.metrics import REGISTRY
from bot.store.sends import SendState

#: A slot later than this is counted as late.
LATE_SECONDS = 300.0

DUE = Counter(
    "muat_digest_due",
    "Slots found due, counted again at each tick until dealt with.",
    registry=REGISTRY,
)
LATE = Counter(
    "muat_digest_late",
    "Digests that arrived more than five minutes after their slot.",
    registry=REGISTRY,
)
ATTEMPTS = Counter(
    "muat_digest_attempts",
    "Tries by what they ended in: sent, waiting (retried), sending (answer lost), uncertain, "
    "refused, gave_up, skipped, silent.",
    ["state"],
    registry=REGISTRY,
)


def count(state: SendState, seconds_late: float) -> None:
    """Count one try, which ended `seconds_late` after its slot."""
    ATTEMPTS.labels(state).inc()
    if state == "sent" and seconds_late > LATE_SECONDS:
        LATE.inc()
