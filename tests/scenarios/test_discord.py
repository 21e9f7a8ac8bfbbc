"""Whole conversations on Discord: what people do there, in both languages, and what they see."""

import asyncio
from datetime import UTC, datetime
from typing import get_args

import pytest

from bot.cards.fit import fit_card
from bot.cards.notice import notice_card
from bot.cards.sample import sample_card, sample_plan
from bot.commands.registry import all_commands
from bot.desk import Answer, Desk
from bot.discord import commands
from bot.language import words
from bot.suggestions import Suggestion
from planner.notes import note
from planner.query import Language
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_client import serving
from tests.standins.discord_interaction import StandInInteraction
from tests.standins.discord_payloads import SOMEBODY_ELSE
from tests.standins.discord_rules import EPHEMERAL

LANGUAGES: tuple[Language, ...] = get_args(Language)
LOCALE = {"en": "en-US", "id": "id"}
CALLBACK = "POST interactions/{0.id}/{0.token}/callback"
ORIGINAL = "PATCH webhooks/100000000000000001/{0.token}/messages/@original"
HOSTILE = (
    "@everyone <@&1> <@123456> ``` \u202egnp.exe 🤖 <#1> [x](http://evil.example) " + "x" * 230
)


def real_desk() -> Desk:
    return Desk(None, 1 / 16667, lambda: datetime(2026, 12, 1, 9, tzinfo=UTC))


class SampleDesk:
    """Answers everything with a sample card; remembers what it was asked."""

    def __init__(self, name: str = "fit") -> None:
        self.texts: list[str] = []
        self._name = name

    async def answer(self, text: str, *, language: Language | None = None) -> Answer:
        self.texts.append(text)
        return Answer(sample_card(self._name), language or "en")


class SlowDesk(SampleDesk):
    """Answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.let = asyncio.Event()

    async def answer(self, text: str, *, language: Language | None = None) -> Answer:
        answer = await super().answer(text, language=language)
        await self.let.wait()
        return answer


class BrokenDesk:
    """Fails."""

    async def answer(self, text: str, *, language: Language | None = None) -> Answer:
        raise RuntimeError("the secret reason")


class EchoDesk(SampleDesk):
    """Says the text back, as a note that holds it does."""

    async def answer(self, text: str, *, language: Language | None = None) -> Answer:
        said = note("models.unknown", name=text, suggestions=())
        return Answer(notice_card((said,), "bad"), language or "en")


class LongDesk(SampleDesk):
    """Answers with a card of which a part has no room."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    async def answer(self, text: str, *, language: Language | None = None) -> Answer:
        long = tuple(
            note("discord.apology", error_id=f"{n} " + "x" * 90) for n in range(self._size)
        )
        plan = sample_plan().model_copy(update={"warnings": long})
        return Answer(fit_card(plan, "Llama"), language or "en")


async def answered(interaction: StandInInteraction) -> StandInInteraction:
    await interaction.answered()
    return interaction


async def asked(
    server: DiscordStandIn, language: Language = "en", what: str = "llama-8b qlora on 1x rtx-4090"
) -> StandInInteraction:
    """Somebody has asked /fit and sees the card."""
    return await answered(await server.slash("fit", what=what, locale=LOCALE[language]))


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
        assert words(language).t("cards.more_left_out") not in interaction.text or name == "fit"
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
        shown = await asked(server, language, "llama-8b qlora")
        opened = await server.press(shown, "change", locale=LOCALE[language])
        await opened.acknowledged()
        (label,) = opened.modal["components"]
        assert opened.modal["title"] == words(language).t("discord.form_title")
        assert label["component"]["value"] == "llama-8b qlora"
        sent = await server.submit(opened, question="llama-8b  lora\non 2x a100")
        await sent.answered()
        assert sent.deferred
        assert sent.ephemeral
    assert desk.texts == ["/fit llama-8b qlora", "/fit llama-8b lora on 2x a100"]
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


async def test_an_answer_is_shared_once() -> None:
    async with DiscordStandIn() as server, serving(SampleDesk(), server):
        shown = await asked(server)
        first, second = [await server.press(shown, "share") for _ in range(2)]
        await answered(first)
        await answered(second)
        told = [one for one in (first, second) if one.followups[0].get("flags", 0) & EPHEMERAL]
    assert [one.text for one in told] == [words("en").t("discord.shared_already")]


async def test_nobody_shares_the_private_card_of_somebody_else() -> None:
    desk = SampleDesk()
    async with DiscordStandIn() as server, serving(desk, server):
        shown = await asked(server)
        pressed = await answered(await server.press(shown, "share", user=SOMEBODY_ELSE))
        assert pressed.text == words("en").t("discord.not_yours")
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
        assert pressed.text == words(language).t("discord.too_old")
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
        assert second.text == words("en").t("discord.pressed_twice")
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
    assert desk.texts == ["/fit llama-8b qlora"] * 3


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


@pytest.mark.parametrize("size", [12, 400])
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


async def test_a_form_may_name_another_command() -> None:
    desk = SampleDesk()
    async with DiscordStandIn() as server, serving(desk, server):
        opened = await server.press(await asked(server), "change")
        await opened.acknowledged()
        await answered(await server.submit(opened, question="/prices h100"))
    assert desk.texts[-1] == "/prices h100"


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
