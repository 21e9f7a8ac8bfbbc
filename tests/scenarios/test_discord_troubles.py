"""What goes wrong on Discord: slow planners, lost connections, late, double and foreign presses."""

import asyncio

import pytest

from bot.discord import commands
from bot.language import words
from bot.suggestions import Suggestion
from planner.query import Language
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_client import serving
from tests.standins.discord_desks import (
    HOSTILE,
    LANGUAGES,
    LOCALE,
    BrokenDesk,
    EchoDesk,
    LongDesk,
    SampleDesk,
    SlowDesk,
    answered,
    asked,
    real_desk,
)
from tests.standins.discord_interaction import StandInInteraction
from tests.standins.discord_payloads import SOMEBODY_ELSE
from tests.standins.discord_rules import EPHEMERAL

ORIGINAL = "PATCH webhooks/100000000000000001/{0.token}/messages/@original"


async def test_an_answer_is_shared_once() -> None:
    async with DiscordStandIn() as server, serving(SampleDesk(), server):
        shown = await asked(server)
        first, second = [await server.press(shown, "share") for _ in range(2)]
        await answered(first)
        await answered(second)
        told = [one for one in (first, second) if one.followups[0].get("flags", 0) & EPHEMERAL]
    assert [one.text for one in told] == [words("en").t("actions.shared_already")]


async def test_nobody_shares_the_private_card_of_somebody_else() -> None:
    desk = SampleDesk()
    async with DiscordStandIn() as server, serving(desk, server):
        shown = await asked(server)
        pressed = await answered(await server.press(shown, "share", user=SOMEBODY_ELSE))
        assert pressed.text == words("en").t("actions.not_yours")
        assert pressed.followups[0]["flags"] & EPHEMERAL
    assert len(desk.texts) == 1


async def test_a_press_on_a_shared_card_answers_the_presser_alone() -> None:
    async with DiscordStandIn() as server, serving(LongDesk(40), server):
        shown = await asked(server)
        public = await answered(await server.press(shown, "share"))
        pressed = await answered(await server.press(public, "more", user=SOMEBODY_ELSE))
        assert pressed.ephemeral
        assert len(public.messages) + len(public.followups) == 1


@pytest.mark.parametrize("action", ["share", "change", "more"])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_button_whose_question_is_forgotten_says_so(
    action: str, language: Language
) -> None:
    async with DiscordStandIn() as server, serving(LongDesk(40), server):
        shown = await asked(server, language)
        card = shown.messages[-1]
        for row in card["components"][1:]:
            for button in row["components"]:
                button["custom_id"] = button["custom_id"].rpartition(":")[0] + ":forgotten"
        pressed = await answered(await server.press(shown, action, locale=LOCALE[language]))
        assert pressed.text == words(language).t("actions.too_old")
    assert server.refusals == []


async def test_a_second_press_while_the_first_is_answered_is_told_to_wait() -> None:
    desk = SlowDesk()
    desk.let.set()
    async with DiscordStandIn() as server, serving(desk, server):
        shown = await asked(server)
        shown.messages[-1]["components"][1]["components"][0]["custom_id"] = shown.buttons[
            "change"
        ].replace("change", "prices")
        desk.let.clear()
        first = await server.press(shown, "prices")
        await first.acknowledged()
        second = await answered(await server.press(shown, "prices"))
        assert second.text == words("en").t("actions.pressed_twice")
        desk.let.set()
        await answered(first)
        assert "Llama" in first.text
    assert len(desk.texts) == 2


async def test_a_command_is_acknowledged_while_the_planner_is_slow() -> None:
    """D103: twenty at once too; the answers come when they come."""
    desk = SlowDesk()
    async with DiscordStandIn() as server, serving(desk, server):
        interactions = [await server.slash("fit", what=f"llama-8b rank={n}") for n in range(1, 21)]
        for interaction in interactions:
            await interaction.acknowledged()
            assert interaction.deferred
            assert interaction.messages == []
        desk.let.set()
        for interaction in interactions:
            await interaction.answered()
    assert server.refusals == []


async def test_a_reconnection_in_mid_command_loses_no_answer() -> None:
    desk = SlowDesk()
    async with DiscordStandIn() as server, serving(desk, server):
        before = await server.slash("fit", what="llama-8b qlora")
        await before.acknowledged()
        await server.reconnect()
        await server.connected()
        during = await server.slash("fit", what="llama-8b lora")
        await during.acknowledged()
        desk.let.set()
        await answered(before)
        await answered(during)
    assert server.resumes == 1
    assert len(desk.texts) == 2


async def test_a_rate_limit_is_waited_for() -> None:
    desk = SlowDesk()
    async with DiscordStandIn() as server, serving(desk, server):
        interaction = await server.slash("fit", what="llama-8b qlora")
        await interaction.acknowledged()
        server.limit_rate(ORIGINAL.format(interaction), 0.01)
        desk.let.set()
        await interaction.answered()
    assert server.requests.count(ORIGINAL.format(interaction)) == 2
    assert server.refusals == []


async def test_an_interaction_that_arrives_twice_is_answered_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = SampleDesk()
    async with DiscordStandIn() as server, serving(desk, server):
        shown = await asked(server)
        await server.redeliver(shown)
        await asked(server)
    assert len(shown.messages) == 1
    assert len(desk.texts) == 2
    assert "somebody else acknowledged it" in caplog.text


async def test_buttons_and_open_forms_survive_a_restart() -> None:
    desk = SampleDesk()
    async with DiscordStandIn() as server:
        async with serving(desk, server):
            shown = await asked(server, what="llama-8b qlora")
            opened = await server.press(shown, "change")
            await opened.acknowledged()
        async with serving(desk, server):
            shared = await answered(await server.press(shown, "share"))
            sent = await answered(await server.submit(opened))
    assert shared.followups
    assert sent.ephemeral
    assert desk.texts[:2] == ["/fit llama-8b qlora"] * 2
    assert desk.texts[2:] == ["/fit meta-llama/Llama-3.1-8B-Instruct method=qlora"]


async def test_a_token_that_expires_before_the_answer_is_one_line_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = SlowDesk()
    async with DiscordStandIn() as server, serving(desk, server):
        late = await server.slash("fit", what="llama-8b qlora")
        await late.acknowledged()
        server.now += 16 * 60
        desk.let.set()
        await asked(server)
    assert late.messages == []
    assert "its token has expired" in caplog.text
    assert "Traceback" not in caplog.text


async def test_a_command_that_came_too_late_is_dropped_quietly(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = SampleDesk()
    async with DiscordStandIn() as server, serving(desk, server):
        late = await server.slash("fit", what="llama-8b qlora", seconds_ago=4)
        await asked(server)
    assert late.messages == []
    assert len(desk.texts) == 1
    assert "it was acknowledged too late" in caplog.text


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_fault_is_an_apology_whose_id_is_in_the_log(
    language: Language, caplog: pytest.LogCaptureFixture
) -> None:
    async with DiscordStandIn() as server, serving(BrokenDesk(), server):
        failed = await asked(server, language)
    error_id = next(record.args[0] for record in caplog.records if record.msg.startswith("Error %"))
    assert failed.text == words(language).t("discord.apology", error_id=str(error_id))
    assert "the secret reason" not in failed.text
    assert "the secret reason" in caplog.text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("typed", [HOSTILE, "<@&123456> lora", "@@everyoneeveryone", "@here"])
async def test_no_mention_comes_back(typed: str, language: Language) -> None:
    """D114, D115, D133: whatever a model is called, nobody is pinged and nothing is formatted."""
    async with DiscordStandIn() as server, serving(EchoDesk(), server):
        shown = await asked(server, language, typed[:500])
        sent = shown.messages[-1]
    assert sent["allowed_mentions"] == {"parse": []}
    assert "@everyone" not in shown.text
    assert "@here" not in shown.text
    assert "<@" not in shown.text.replace("\\<", "")
    assert "```" not in shown.text
    assert "\u202e" not in shown.text
    assert server.refusals == []


async def test_the_grammar_takes_hostile_text_too() -> None:
    async with DiscordStandIn() as server, serving(real_desk(), server):
        shown = await asked(server, "en", f"{HOSTILE} qlora")
    assert shown.messages[-1]["allowed_mentions"] == {"parse": []}
    assert "@everyone" not in shown.text
    assert server.refusals == []


async def test_a_fault_on_a_mention_is_an_apology_too(caplog: pytest.LogCaptureFixture) -> None:
    async with DiscordStandIn() as server, serving(BrokenDesk(), server):
        await server.say("<@100000000000000001> llama-8b qlora")
        await asyncio.wait_for(server.posted.wait(), 10)
    error_id = next(record.args[0] for record in caplog.records if record.msg.startswith("Error %"))
    assert str(error_id) in server.posts[0]["content"]


async def test_a_channel_muat_may_not_write_in_is_named_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with DiscordStandIn() as server, serving(SampleDesk(), server):
        server.refuse(
            "POST channels/300000000000000001/messages", 403, 50013, "Missing Permissions"
        )
        await server.say("<@100000000000000001> llama-8b qlora")
        await asked(server)
        while not server.refusals:
            await asyncio.sleep(0)
    assert "300000000000000001" in caplog.text
    assert "Traceback" not in caplog.text


async def test_a_press_that_came_too_late_is_dropped_quietly(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with DiscordStandIn() as server, serving(SampleDesk(), server):
        shown = await asked(server)
        late = await server.press(shown, "share", seconds_ago=4)
        await asked(server)
        await server.press(shown, "change", seconds_ago=4)
        await asked(server)
    assert late.followups == []
    assert "it was acknowledged too late" in caplog.text
    assert "Traceback" not in caplog.text


async def test_an_error_while_somebody_types_suggests_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def typed(server: DiscordStandIn) -> StandInInteraction:
        interaction = await server.type("fit", "what", "llama")
        await interaction.acknowledged()
        return interaction

    def broken(text: str, most: int) -> tuple[Suggestion, ...]:
        raise RuntimeError(text)

    async with DiscordStandIn() as server, serving(SampleDesk(), server):
        monkeypatch.setattr(commands, "complete", broken)
        assert (await typed(server)).choices == []
    assert "No suggestions" in caplog.text
