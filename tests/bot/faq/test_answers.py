"""The answers: content files without a typed number, filled with live values."""

import re
from datetime import UTC, datetime

import pytest

from bot.faq.facts import Facts
from bot.faq.phrasings import TOPICS
from bot.language import LANGUAGES, templates_folder, words
from bot.render import filled
from planner.query import Language

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
_PLACEHOLDER = re.compile(r"{{.*?}}")
_NAMES = re.compile(r"\b(4-bit|A100|bf16|fp16|fp8|int8)\b")
_SENTENCE = re.compile(r"[.?](?= [A-Z{]|$)")
FACTS = Facts(None, NOW)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("topic", TOPICS)
def test_no_number_is_typed_into_prose(topic: str, language: Language) -> None:
    text = (templates_folder() / "faq" / f"{topic}.{language}.md").read_text(encoding="utf-8")
    prose = _NAMES.sub("", _PLACEHOLDER.sub("", text))
    assert not re.search(r"\d", prose)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("topic", TOPICS)
def test_an_answer_is_a_few_sentences_with_every_value_known(
    topic: str, language: Language
) -> None:
    spoken = words(language)
    said = filled(f"faq/{topic}.{language}.md", spoken, facts=FACTS).strip()
    assert "{{" not in said
    assert spoken.t("cards.unknown") not in said.split()
    assert 3 <= len(_SENTENCE.findall(said)) <= 8


def test_the_memory_answer_shows_the_estimators_own_figures() -> None:
    said = filled("faq/vram_by_method.en.md", words("en"), facts=FACTS)
    for gib in (FACTS.full_gib, FACTS.lora_gib, FACTS.qlora_gib):
        assert f"{gib:.1f} GiB" in said
    assert FACTS.qlora_gib < FACTS.lora_gib < FACTS.full_gib
    assert FACTS.lora_short_gib < FACTS.lora_gib < FACTS.lora_unchecked_gib
    assert FACTS.full_two_gib < FACTS.full_gib


def test_terms_of_providers_are_what_they_state() -> None:
    assert "RunPod" in FACTS.egress_free
    assert "AWS" in FACTS.billed_by("second")
    assert "T4" in FACTS.without_bf16 and "A100-SXM4-80GB" not in FACTS.without_bf16
