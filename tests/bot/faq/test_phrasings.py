"""The phrasings, the weights made from them, and what the model makes of messages."""

from collections import Counter

import pytest

from bot.faq.features import features, tokens
from bot.faq.model import packed, shipped
from bot.faq.phrasings import OUT_OF_SCOPE, TOPICS, digest, phrasings
from bot.faq.topics import guess_of, topic_of


def test_there_are_enough_phrasings_and_no_two_are_the_same() -> None:
    counted = Counter(one.topic for one in phrasings())
    assert len(TOPICS) == 15
    assert all(counted[topic] >= 40 for topic in TOPICS)
    assert counted[OUT_OF_SCOPE] >= 300
    assert max(Counter(one.text for one in phrasings()).values()) == 1


def test_the_weights_belong_to_the_phrasings() -> None:
    assert shipped().phrasings == digest(), "run python -m bench.faq --write"
    assert shipped().labels == (*TOPICS, OUT_OF_SCOPE)


def test_the_shipped_model_knows_what_it_learnt() -> None:
    said = [(one, topic_of(guess_of(one.text))) for one in phrasings()]
    inside = [(one, topic) for one, topic in said if one.topic != OUT_OF_SCOPE]
    assert sum(topic == one.topic for one, topic in inside) / len(inside) > 0.85
    outside = [topic for one, topic in said if one.topic == OUT_OF_SCOPE]
    assert sum(topic is not None for topic in outside) / len(outside) < 0.03


def test_a_packed_model_is_text_of_the_same_labels() -> None:
    assert f'"phrasings": "{digest()}"' in packed(shipped())


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("brp", "berapa"), ("gmn", "gimana"), ("nggak", "tidak"), ("makaaaasih", "makasih")],
)
def test_slang_and_drawn_out_letters_are_read(typed: str, meant: str) -> None:
    assert tokens(typed) == tokens(meant)


def test_a_text_without_words_has_no_features() -> None:
    assert features("🙂 !!!") == {}
    assert topic_of(guess_of("🙂 !!!")) is None


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("is spot safe for a 12h run?", "spot_vs_on_demand"),
        ("does the bill run per second or per hour on these clouds?", "billing_granularity"),
        ("apakah t4 mendukung bf16?", "precision_support"),
        ("perlu infiniband antar node ga", "multi_node_networking"),
    ],
)
def test_questions_find_their_topic(text: str, topic: str) -> None:
    assert topic_of(guess_of(text)) == topic


@pytest.mark.parametrize(
    "text",
    [
        "lunch?",
        "my gaming laptop with a 4060 is too loud",
        "vllm throughput for 50 users",
        "mining di 3090 masih untung?",
        "fix this python function please",
    ],
)
def test_other_messages_find_none(text: str) -> None:
    assert topic_of(guess_of(text)) is None
