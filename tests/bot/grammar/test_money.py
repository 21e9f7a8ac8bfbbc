"""Amounts of money, in two currencies and two ways of writing decimals."""

import pytest

from bot.grammar import read
from bot.grammar.command import Command
from bot.language import words
from planner.errors import BadInput

USD_PER_IDR = 1 / 16667


def said(command: Command, prefix: str) -> list[str]:
    return [words("en").say(note) for note in command.notes if note.code.startswith(prefix)]


def test_d137_three_decimals_are_read_by_language_and_asked_back() -> None:
    english = read("/fit llama-3-8b qlora budget=2.500")
    assert english.max_usd_per_hour == 2.5
    assert any("2.50/h?" in sentence for sentence in said(english, "grammar.amount"))
    indonesian = read("tolong cek llama-3-8b qlora dong, budget=2.500")
    assert indonesian.language == "id"
    assert indonesian.max_usd_total == 2500
    assert any("2.50/h" in sentence for sentence in said(indonesian, "grammar.amount"))


def test_d137_a_grouped_thousand_is_no_question() -> None:
    command = read("fit llama-3-8b qlora under $1,500 total")
    assert command.max_usd_total == 1500
    assert not said(command, "grammar.amount")


def test_d138_rupiah_per_hour_and_a_decimal_comma() -> None:
    rupiah = read("llama-3-8b qlora budget Rp 35.000/jam", usd_per_idr=USD_PER_IDR)
    assert rupiah.max_usd_per_hour == pytest.approx(35_000 / 16_667)
    assert any("16,667" in sentence for sentence in said(rupiah, "grammar.rupiah"))
    comma = read("llama-3-8b qlora 2,5 USD")
    assert comma.max_usd_per_hour == 2.5


def test_d139_a_leading_comma_is_a_decimal() -> None:
    assert read("fit llama-3-8b qlora budget=,89").max_usd_per_hour == pytest.approx(0.89)


def test_the_rate_of_the_caller_is_used_and_shown() -> None:
    command = read("qwen3 8b lora budget 1,5 juta", usd_per_idr=1 / 15_000)
    assert command.max_usd_total == pytest.approx(100)
    assert any("15,000" in sentence for sentence in said(command, "grammar.rupiah"))


@pytest.mark.parametrize(
    ("text", "per_hour", "total"),
    [
        ("llama-3-8b lora $2/hr", 2, None),
        ("llama-3-8b lora max 2 dollars an hour", 2, None),
        ("llama-3-8b lora maks $2 per jam", 2, None),
        ("llama-3-8b lora max $100 total", None, 100),
        ("llama-3-8b lora budget of 500", None, 500),
        ("llama-3-8b lora usd 40", None, 40),
        ("llama-3-8b lora $1k", None, 1000),
        ("llama-3-8b lora $3/h, $100 total", 3, 100),
        ("llama-3-8b lora max_usd_per_hour=3 max_usd_total=50", 3, 50),
        ("llama-3-8b lora max 4096 tokens", None, None),
        ("llama-3-8b lora under 12h", None, None),
    ],
)
def test_per_hour_and_total_are_told_apart(
    text: str, per_hour: float | None, total: float | None
) -> None:
    command = read(text)
    assert (command.max_usd_per_hour, command.max_usd_total) == (per_hour, total)


def test_a_bare_amount_says_how_it_was_taken() -> None:
    assert said(read("llama-3-8b lora budget $80"), "grammar.budget_taken_total")
    assert said(read("llama-3-8b lora budget $2"), "grammar.budget_taken_hourly")


def test_a_currency_without_a_rate_is_said_and_sets_no_limit() -> None:
    command = read("llama-3-8b lora max €2/h")
    assert command.max_usd_per_hour is None
    assert said(command, "grammar.currency_unknown")


def test_a_limit_per_gpu_is_multiplied() -> None:
    command = read("llama-3-8b lora 8xH100 $2/gpu/hr")
    assert command.max_usd_per_hour == 16
    assert said(command, "grammar.per_gpu_price")


def test_an_amount_that_is_none_is_refused_with_an_example() -> None:
    with pytest.raises(BadInput) as refused:
        read("fit llama-3-8b budget=lots")
    assert refused.value.note.values["value"] == "lots"
