"""What a process counts, in Prometheus's terms."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY = CollectorRegistry()
ANSWERS = Counter(
    "muat_answers", "Answers by kind of card and outcome.", ("card", "outcome"), registry=REGISTRY
)
ANSWER_SECONDS = Histogram(
    "muat_answer_seconds",
    "Seconds from a question to its card.",
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    registry=REGISTRY,
)
CATALOG_AGE_HOURS = Gauge(
    "muat_catalog_age_hours", "Age of the newest prices; NaN where unknown.", registry=REGISTRY
)
CATALOG_OFFERS = Gauge("muat_catalog_offers", "Offers in the catalog.", registry=REGISTRY)
