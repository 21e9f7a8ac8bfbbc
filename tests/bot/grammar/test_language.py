"""Which language a text is in, where its words tell, and the reader's where they do not."""

import pytest

from bot.grammar.language import detect


@pytest.mark.parametrize(
    "text", ["llama-8b qlora 1x 4090", "2x a100 llama-70b", "qwen 7b lora x 2"]
)
@pytest.mark.parametrize("reader", ["en", "id"])
def test_counts_and_names_are_in_no_language(text: str, reader: str) -> None:
    assert detect(text, reader) == reader  # type: ignore[arg-type]
