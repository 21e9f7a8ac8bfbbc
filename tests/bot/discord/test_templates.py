"""What the Discord templates make of cards: readable on a phone and inside Discord's limits."""

import re
from typing import Any, get_args

import pytest

from bot.cards.bodies import Topic
from bot.cards.fit import fit_card
from bot.cards.help import help_card
from bot.cards.prices import prices_card
from bot.cards.sample import sample_card, sample_names, sample_plan
from bot.discord.components import view_from
from bot.language import words
from bot.render import render
from planner.notes import note
from planner.query import Language
from tests.standins.discord_rules import COMPONENTS_V2, check_message

LANGUAGES: tuple[Language, ...] = get_args(Language)
PHONE_COLUMNS = 34


def shown(tree: dict[str, Any]) -> str:
    """All text of a rendered card."""
    return "\n".join(part["content"] for part in tree["components"] if "content" in part)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", sample_names())
async def test_every_sample_is_a_message_that_discord_takes(name: str, language: Language) -> None:
    tree = render(sample_card(name), "discord", words(language))
    message = {"flags": COMPONENTS_V2, "components": view_from(tree).to_components()}
    check_message(message, allowed_flags=COMPONENTS_V2)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["fit", "tight", "does_not_fit"])
def test_the_memory_block_fits_a_phone(name: str, language: Language) -> None:
    text = shown(render(sample_card(name), "discord", words(language)))
    (block,) = re.findall(r"```\n(.*?)```", text, re.DOTALL)
    lines = block.splitlines()
    assert len(lines) > 3
    assert max(len(line) for line in lines) <= PHONE_COLUMNS
    assert set(lines[0].split()[0]) <= set("█░")


@pytest.mark.parametrize(("name", "mark"), [("fit", "✅"), ("tight", "⚠️"), ("does_not_fit", "❌")])
def test_the_verdict_comes_first_with_its_mark(name: str, mark: str) -> None:
    first = render(sample_card(name), "discord", words("en"))["components"][0]["content"]
    assert first.startswith(f"## {mark} ")


def test_the_card_tells_everything_a_team_decides_on() -> None:
    text = shown(render(sample_card("fit"), "discord", words("en")))
    plan = sample_plan()
    option = plan.options[0]
    assert option.provider in text
    assert option.instance_type in text
    assert f"${option.usd_total:.2f}" in text
    assert plan.spot is not None
    assert f"${plan.spot.expected_usd_spot:.2f}" in text
    assert plan.checkpoint is not None
    assert f"{plan.checkpoint.interval_steps} steps" in text
    assert "gathered on 2026-12-01" in text


def test_an_unknown_room_has_no_bar_and_no_share() -> None:
    plan = sample_plan().model_copy(update={"usable_gib": None})
    text = shown(render(fit_card(plan, "Llama"), "discord", words("en")))
    assert "░" not in text
    assert "█" not in text
    assert " %\n" not in text


def test_a_long_card_says_that_something_was_left_out() -> None:
    long_notes = tuple(note("discord.apology", error_id="x" * 100 + str(n)) for n in range(30))
    plan = sample_plan().model_copy(update={"warnings": long_notes})
    tree = render(fit_card(plan, "Llama"), "discord", words("en"))
    message = {"flags": COMPONENTS_V2, "components": [{"type": 10, "content": shown(tree)}]}
    check_message(message, allowed_flags=COMPONENTS_V2)
    assert words("en").t("cards.more_left_out") in shown(tree)


def test_no_prices_is_said() -> None:
    text = shown(render(prices_card([], sample_plan().catalog), "discord", words("en")))
    assert words("en").t("cards.no_prices") in text


def test_help_names_commands_as_discord_shows_them_to_the_reader() -> None:
    topic = Topic(command="/fit", summary=note("commands.fit_help"), example="/fit llama-70b qlora")
    card = help_card((topic,), opening=(note("commands.opening"),))
    assert "`/cek llama-70b qlora`" in shown(render(card, "discord", words("id")))
    english = shown(render(card, "discord", words("en")))
    assert "`/fit llama-70b qlora`" in english
    assert words("en").t("commands.opening") in english
