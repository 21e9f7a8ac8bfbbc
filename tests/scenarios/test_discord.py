"""Whole conversations on Discord: what people do there, in both languages, and what they see."""

import asyncio

import pytest

from bot.commands.registry import all_commands
from bot.language import words
from planner.query import Language
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_client import serving
from tests.standins.discord_desks import (
    HOSTILE,
    LANGUAGES,
    LOCALE,
    LongDesk,
    SampleDesk,
    answered,
    asked,
    real_desk,
)
from tests.standins.discord_rules import EPHEMERAL


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", sorted(all_commands()))
async def test_every_command_answers_its_own_example(name: str, language: Language) -> None:
    example = words(language).t(f"commands.{name}_example")
    text = example.partition(" ")[2]
    async with DiscordStandIn() as server, serving(real_desk(), server):
        options = {"what": text} if text else {}
        interaction = await answered(
            await server.slash(name, locale=LOCALE[language], guild_locale="fr", **options)
        )
        assert interaction.deferred
        assert interaction.ephemeral
        assert len(interaction.text) > 40
    assert server.refusals == []


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_button_of_a_fit_card_answers(language: Language) -> None:
    async with DiscordStandIn() as server, serving(real_desk(), server):
        shown = await asked(server, language)
        for action in shown.buttons:
            if action == "change":
                continue
            pressed = await server.press(shown, action, locale=LOCALE[language])
            await answered(pressed)
            assert len(pressed.text) > 20, action
    assert server.refusals == []
    assert {"change", "share"} <= set(shown.buttons)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_change_opens_the_question_and_asks_it_anew(language: Language) -> None:
    desk = SampleDesk()
    async with DiscordStandIn() as server, serving(desk, server):
        shown = await asked(server, language, "llama-8b qlora seq=4096 under $90")
        opened = await server.press(shown, "change", locale=LOCALE[language])
        await opened.acknowledged()
        fields = {one["component"]["custom_id"]: one for one in opened.modal["components"]}
        assert opened.modal["title"] == words(language).t("actions.form_title")
        assert list(fields) == ["model", "method", "machine", "training", "limits"]
        assert fields["training"]["component"]["value"] == "seq_len=4096"
        sent = await server.submit(opened, method="lora", machine="2x a100", limits="")
        await sent.answered()
        assert sent.deferred
        assert sent.ephemeral
    model = "meta-llama/Llama-3.1-8B-Instruct"
    assert desk.texts[1:] == [f"/fit {model} method=lora 2x a100 seq_len=4096"]
    assert server.refusals == []


async def test_comparing_one_job_compares_the_ways_to_train_it() -> None:
    async with DiscordStandIn() as server, serving(real_desk(), server):
        shown = await asked(server, what="llama-8b qlora on 1x a100")
        compared = await answered(await server.press(shown, "compare"))
    for method in ("full", "lora", "qlora"):
        assert f"**{method}" in compared.text.lower()


async def test_a_recipe_comes_with_its_files_in_private_and_shared() -> None:
    async with DiscordStandIn() as server, serving(real_desk(), server):
        shown = await asked(server, what="llama-8b qlora on 1x a100")
        recipe = await answered(await server.press(shown, "recipe"))
        public = await answered(await server.press(recipe, "share"))
        plain = await answered(await server.slash("recipe", what="llama-8b qlora on 1x a100"))
    assert "train.py" in recipe.files
    assert b"QLoRA" in recipe.files["train.py"] or b"4bit" in recipe.files["train.py"]
    assert public.files == recipe.files == plain.files
    assert server.refusals == []


@pytest.mark.parametrize("language", LANGUAGES)
async def test_an_answer_in_words_can_be_shared(language: Language) -> None:
    question = words(language).t("commands.ask_example").removeprefix("/ask ")
    async with DiscordStandIn() as server, serving(real_desk(), server):
        shown = await answered(
            await server.slash("ask", what=question, locale=LOCALE[language], guild_locale="fr")
        )
        public = await answered(await server.press(shown, "share", locale=LOCALE[language]))
    assert shown.text[:60] in public.text
    assert server.refusals == []


@pytest.mark.parametrize("language", LANGUAGES)
async def test_share_shows_the_channel_who_shared_it(language: Language) -> None:
    async with DiscordStandIn() as server, serving(SampleDesk(), server):
        shown = await asked(server, language)
        pressed = await server.press(shown, "share", locale=LOCALE[language])
        await pressed.answered()
        (public,) = pressed.followups
        assert not public.get("flags", 0) & EPHEMERAL
        assert "rani" in pressed.text
        assert "share" not in pressed.buttons
        assert public["allowed_mentions"] == {"parse": []}
    assert server.refusals == []


async def test_a_mention_is_answered_in_the_channel() -> None:
    desk = SampleDesk()
    async with DiscordStandIn() as server, serving(desk, server):
        await server.say("<@100000000000000001> llama-8b qlora on a 4090?", times=2)
        await asyncio.wait_for(server.posted.wait(), 10)
        await asked(server)
    (reply,) = server.posts
    assert desk.texts[0] == "llama-8b qlora on a 4090?"
    assert reply["allowed_mentions"] == {"parse": [], "replied_user": False}
    assert server.refusals == []


async def test_a_direct_message_is_answered_and_an_empty_one_gets_help() -> None:
    desk = SampleDesk()
    async with DiscordStandIn() as server, serving(desk, server):
        await server.say("llama-8b qlora", direct=True)
        await server.say("<@100000000000000001>", direct=True)
        await asyncio.wait_for(server.posted.wait(), 10)
        await asked(server)
    assert sorted(desk.texts[:2]) == ["/help", "llama-8b qlora"]


async def test_what_is_not_for_muat_is_not_read() -> None:
    desk = SampleDesk()
    async with DiscordStandIn() as server, serving(desk, server):
        await server.say("does llama-8b fit my 4090?")
        await asked(server, what="llama-8b lora")
    assert desk.texts == ["/fit llama-8b lora"]
    assert server.posts == []


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_message_command_reads_what_somebody_wrote(language: Language) -> None:
    desk = SampleDesk()
    async with DiscordStandIn() as server, serving(desk, server):
        read = await answered(
            await server.ask_about(
                "Will this fit?", "<@4> try llama-8b\nqlora on 4090", locale=LOCALE[language]
            )
        )
        empty = await answered(
            await server.ask_about("Will this fit?", "", locale=LOCALE[language])
        )
    assert read.ephemeral
    assert empty.text == words(language).t("discord.no_text")
    assert desk.texts == ["/fit try llama-8b qlora on 4090"]


async def test_suggestions_are_ranked_and_never_more_than_discord_takes() -> None:
    """D109: an exact name first, at most 25, also for what matches sixty models."""
    async with DiscordStandIn() as server, serving(SampleDesk(), server):
        llamas = await server.type("fit", "what", "llama")
        exact = await server.type("fit", "what", "qwen3-8b")
        method = await server.type("fit", "method", "qlo")
        gpu = await server.type("fit", "gpu", "4090")
        nothing = await server.type("fit", "gpu", HOSTILE[:100])
        for interaction in (llamas, exact, method, gpu, nothing):
            await interaction.acknowledged()
    assert len(llamas.choices) == 25
    assert all("llama" in choice["value"].lower() for choice in llamas.choices)
    assert exact.choices[0]["value"] == "Qwen/Qwen3-8B"
    assert [choice["value"] for choice in method.choices] == ["qlora"]
    assert "RTX-4090" in [choice["value"] for choice in gpu.choices]
    assert nothing.choices == []


async def test_typed_options_become_part_of_the_question() -> None:
    desk = SampleDesk()
    async with DiscordStandIn() as server, serving(desk, server):
        await answered(await server.slash("fit", what="llama-8b", method="qlora", gpu="L4", gpus=2))
        await answered(await server.slash("fit", what="llama-8b", gpus=2))
        await answered(await server.slash("prices", gpu="L4"))
    assert desk.texts == ["/fit llama-8b qlora on 2x L4", "/fit llama-8b gpus=2", "/prices L4"]


@pytest.mark.parametrize("size", [8, 400])
async def test_what_has_no_room_is_behind_more(size: int) -> None:
    """D105, D106, D107: never refused, whatever its length; the rest is one press away."""
    async with DiscordStandIn() as server, serving(LongDesk(size), server):
        shown = await asked(server)
        assert words("en").t("cards.more_left_out") in shown.text
        rest = await answered(await server.press(shown, "more"))
        assert rest.ephemeral
        await asked(server)
    whole = "".join((shown.text + rest.text + rest.files.get("muat.txt", b"").decode()).split())
    assert all(f"{n}xxxx" in whole for n in range(size))
    assert "resume_from_checkpoint" in whole.replace("\\", "")
    assert bool(rest.files) == (size == 400)
    assert server.refusals == []


async def test_a_form_may_name_another_command() -> None:
    desk = SampleDesk()
    async with DiscordStandIn() as server, serving(desk, server):
        shown = await answered(await server.slash("prices", what="h100"))
        opened = await server.press(shown, "change")
        await opened.acknowledged()
        await answered(await server.submit(opened, question="/compare  h100\nvs a100"))
    assert desk.texts[-1] == "/compare h100 vs a100"
