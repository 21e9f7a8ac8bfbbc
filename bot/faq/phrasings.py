"""The phrasings that the model learns from: data/phrasings/<topic>.txt, one a line."""

import hashlib
from importlib.resources import files
from typing import NamedTuple

OUT_OF_SCOPE = "out_of_scope"

TOPICS: tuple[str, ...] = (
    "vram_by_method", "single_vs_multi_gpu", "spot_vs_on_demand", "same_hardware_as_pretraining",
    "precision_support", "persistent_storage", "checkpointing", "billing_granularity",
    "environment_control", "multi_node_networking", "consumer_gpus", "older_cards_value",
    "egress_cost", "regions_prices_change", "method_tradeoffs",
)  # fmt: skip


class Phrasing(NamedTuple):
    """One way of asking, and its topic (OUT_OF_SCOPE for none)."""

    text: str
    topic: str


def phrasings() -> tuple[Phrasing, ...]:
    """Every phrasing of every topic, in the order of the files."""
    return tuple(
        Phrasing(line, topic)
        for topic in (*TOPICS, OUT_OF_SCOPE)
        for line in _text(topic).splitlines()
        if line and not line.startswith("#")
    )


def digest() -> str:
    """What the weights file must name to belong to these phrasings, slang and concepts."""
    parts = [f"{one.topic}\t{one.text}\n" for one in phrasings()]
    for name in ("slang.csv", "concepts.csv"):
        parts.append((files("bot.faq") / "data" / name).read_text(encoding="utf-8"))
    return hashlib.sha256("".join(parts).encode()).hexdigest()


def _text(topic: str) -> str:
    folder = files("bot.faq") / "data" / "phrasings"
    return (folder / f"{topic}.txt").read_text(encoding="utf-8")
