"""Every code that a card may carry has words, though no template names it in full."""

from collections.abc import Iterator
from typing import get_args

import pytest

from bot.cards.bodies import PartName
from bot.language import LANGUAGES, words
from planner.memory.result import Evidence
from planner.plan.result import Label, Verdict
from planner.query import Checkpointing, Language, Market, Method, Sharding


def keys() -> Iterator[str]:
    families = {
        "verdict": Verdict,
        "headline": Verdict,
        "nowhere": Verdict,
        "no_offer": Verdict,
        "method": Method,
        "label": Label,
        "market": Market,
        "part": PartName,
        "evidence": Evidence,
        "checkpointing": Checkpointing,
        "spot": Market,
        "spot_flips": Market,
    }
    for family, codes in families.items():
        yield from (f"cards.{family}_{code}" for code in get_args(codes))
    yield from (f"cards.sharding_{code}" for code in get_args(Sharding) if code != "none")
    yield from (f"cards.spot_{code}_unknown" for code in get_args(Market))
    fabrics = ("single", "pcie", "nvlink", "nvlink_bridge", "unknown", "infiniband", "efa", "rdma")
    yield from (f"cards.fabric_{code}" for code in fabrics)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", sorted(keys()))
def test_every_code_of_a_card_has_words(key: str, language: Language) -> None:
    assert words(language).t(key) != key
