"""Conversations in Slack: buttons, forms, mentions, direct messages, settings."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.desk import Desk
from bot.slack.app import connected
from bot.store.engine import open_store
from planner.query import Language
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tests.standins.slack_answers import NOW, answers_of
from tests.standins.slack_people import buttons, press, speak, submit, use_shortcut

READERS: list[tuple[str, Language]] = [("U1", "en"), ("U2", "id")]
SAID = {
    "not_yours": {"en": "Only the person who asked", "id": "Hanya"},
    "settings": {"en": "Answers here are in", "id": "Jawaban di sini"},
}


class Workspace:
    """A Slack with the app in it; `again` is the app after a restart, over the same store."""

    def __init__(self, slack: SlackStandIn, folder: Path) -> None:
        self.slack = slack
        self.desk = SlowDesk()
        self._folder = folder

    def app(self) -> Any:
        store = open_store(f"sqlite:///{self._folder / 'team.sqlite'}")
        return connected(
            bot_token=BOT_TOKEN,
            app_token=APP_TOKEN,
            answers=answers_of(self.desk, store),
            api_url=self.slack.api_url,
        )

    async def app_is_idle(self) -> None:
        """Nothing that was begun is still under way."""
        mine = asyncio.current_task()
        begun = [t for t in asyncio.all_tasks() if t is not mine and "Listeners" in repr(t)]
        await asyncio.gather(*begun, return_exceptions=True)

    async def ask(self, command: str, text: str, user: str = "U1") -> dict[str, Any]:
        sent = await self.slack.slash(command, text, user=user)
        assert await sent.acknowledged() < 3
        return await sent.answer()

    async def press(self, message: dict[str, Any], action: str, user: str = "U1") -> dict[str, Any]:
        sent = await press(self.slack, message, action, user=user)
        assert await sent.acknowledged() < 3
        return await sent.answer()


class SlowDesk(Desk):
    """The real desk, which answers when `open` is set, and may break."""

    def __init__(self) -> None:
        super().__init__(None, 1 / 16667, lambda: NOW)
        self.open = asyncio.Event()
        self.open.set()
        self.breaks = 0
        self.texts: list[str] = []

    async def answer(self, text: str, *, language: Language | None = None) -> Any:
        self.texts.append(text)
        await self.open.wait()
        if self.breaks:
            self.breaks -= 1
            raise ValueError("the estimator broke")
        return await super().answer(text, language=language)


@pytest.fixture
async def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Workspace]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    async with SlackStandIn() as slack:
        town = Workspace(slack, tmp_path)
        async with town.app():
            await slack.connected()
            yield town
        assert slack.refusals == [] and slack.pings == []


def shown(message: dict[str, Any]) -> str:
    blocks = message.get("blocks", "")
    return json.dumps(blocks, ensure_ascii=False) if not isinstance(blocks, str) else blocks


@pytest.mark.parametrize(("reader", "language"), READERS)
async def test_a_card_offers_what_to_do_next_and_each_button_answers(
    workspace: Workspace, reader: str, language: Language
) -> None:
    card = await workspace.ask("/fit", "llama-8b qlora provider=nebius", user=reader)
    assert set(buttons(card)) >= {"change", "compare", "recipe", "explain", "share"}
    for action, expected in (
        ("compare", "qlora"),
        ("recipe", "skypilot.yaml"),
        ("explain", "billed_hours * usd_per_hour"),
    ):
        answer = await workspace.press(card, action, user=reader)
        assert expected in shown(answer)
        assert answer["response_type"] == "ephemeral"


async def test_another_option_is_one_press_away(workspace: Workspace) -> None:
    card = await workspace.ask("/fit", "llama-70b qlora")
    assert {"cheaper", "faster"} <= set(buttons(card))
    answer = await workspace.press(card, "faster")
    assert "8x B200" in shown(answer)
    assert workspace.desk.texts[-1].startswith("/fit llama-70b qlora on 8x B200 provider=")


async def test_sharing_shows_the_channel_what_one_person_saw_once(workspace: Workspace) -> None:
    card = await workspace.ask("/fit", "llama-8b qlora")
    shared = await workspace.press(card, "share")
    assert shared["response_type"] == "in_channel"
    assert "Shared by rani" in shown(shared)
    assert "share" not in buttons(shared)
    again = await workspace.press(card, "share")
    assert again["response_type"] == "ephemeral" and "already" in again["text"]


@pytest.mark.parametrize(("reader", "language"), [("U2", "id")])
async def test_nobody_shares_somebody_elses_card(
    workspace: Workspace, reader: str, language: Language
) -> None:
    card = await workspace.ask("/fit", "llama-8b qlora", user="U1")
    answer = await workspace.press(card, "share", user=reader)
    assert SAID["not_yours"][language] in answer["text"]
    assert answer["response_type"] == "ephemeral"


@pytest.mark.parametrize(("user", "language"), READERS)
async def test_a_form_opens_with_the_question_and_answers_the_changed_one(
    workspace: Workspace, user: str, language: Language
) -> None:
    """What was not touched stays as it was asked, the context length here."""
    card = await workspace.ask("/fit", "llama-8b qlora seq=4096 under $90", user=user)
    sent = await press(workspace.slack, card, "change", user=user)
    await sent.acknowledged()
    await workspace.slack.until(lambda: workspace.slack.forms)
    (form,) = workspace.slack.forms
    fields = {block["block_id"]: block["element"] for block in form["blocks"]}
    assert list(fields) == ["model", "method", "machine", "training", "limits"]
    assert fields["model"]["initial_value"] == "meta-llama/Llama-3.1-8B-Instruct"
    assert fields["method"]["initial_option"]["value"] == "qlora"
    assert fields["training"]["initial_value"] == "seq_len=4096"
    done = await submit(workspace.slack, form, user, method="lora", machine="a 4090", limits="")
    assert await done.acknowledged() < 3
    answer = await sent.answer()
    assert "LoRA" in shown(answer) and "RTX-4090" in shown(answer)
    asked = workspace.desk.texts[-1]
    assert "seq_len=4096" in asked and "max_usd" not in asked


async def test_a_question_without_parts_is_changed_as_it_was_typed(workspace: Workspace) -> None:
    card = await workspace.ask("/prices", "h100 at runpod")
    await (await press(workspace.slack, card, "change")).acknowledged()
    await workspace.slack.until(lambda: workspace.slack.forms)
    (form,) = workspace.slack.forms
    assert [block["element"]["initial_value"] for block in form["blocks"]] == ["h100 at runpod"]
    done = await submit(workspace.slack, form, question="a100 at runpod")
    assert await done.acknowledged() < 3
    await workspace.slack.until(lambda: len(workspace.desk.texts) == 2)
    assert workspace.desk.texts[-1] == "/prices a100 at runpod"


async def test_a_form_that_is_too_late_is_said(workspace: Workspace) -> None:
    card = await workspace.ask("/fit", "llama-8b qlora")
    workspace.slack.triggers_expire = True
    sent = await press(workspace.slack, card, "change")
    assert "press the button again" in (await sent.answer())["text"]
    assert workspace.slack.refusals == ["views.open: expired_trigger_id"]
    workspace.slack.refusals.clear()


async def test_buttons_work_after_a_restart_and_a_forgotten_question_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    async with SlackStandIn() as slack:
        town = Workspace(slack, tmp_path)
        async with town.app():
            await slack.connected()
            card = await town.ask("/fit", "llama-8b qlora")
        async with town.app():
            await slack.connected(sockets=2)
            assert "billed_hours" in shown(await town.press(card, "explain"))
            button = buttons(card)["explain"]
            button["value"] = "forgotten"
            assert "too old" in (await town.press(card, "explain"))["text"]


async def test_a_second_press_while_the_first_is_answered_says_so(workspace: Workspace) -> None:
    card = await workspace.ask("/fit", "llama-8b qlora")
    workspace.desk.open.clear()
    first = await press(workspace.slack, card, "explain")
    assert await first.acknowledged() < 3
    second = await workspace.press(card, "explain")
    assert "still working" in second["text"]
    workspace.desk.open.set()
    assert "billed_hours" in shown(await first.answer())


@pytest.mark.parametrize(("reader", "language"), READERS)
async def test_a_mention_is_answered_in_its_thread(
    workspace: Workspace, reader: str, language: Language
) -> None:
    sent = await speak(workspace.slack, "llama-8b qlora 1x 4090", user=reader)
    assert await sent.acknowledged() < 3
    post = await workspace.slack.post()
    assert post["thread_ts"] == "1796083200.000100"
    assert {"en": "Fits", "id": "Muat"}[language] in shown(post)
    assert "share" not in buttons(post)


async def test_d078_an_event_that_is_delivered_twice_is_answered_once(
    workspace: Workspace,
) -> None:
    for _ in range(3):
        sent = await speak(workspace.slack, "llama-8b qlora", event_id="Ev7")
        assert await sent.acknowledged() < 3
    await speak(workspace.slack, "llama-8b lora", event_id="Ev8")
    await workspace.slack.post(2)
    assert len(workspace.slack.posts) == 2


async def test_d081_an_event_whose_answer_could_not_be_posted_may_come_again(
    workspace: Workspace,
) -> None:
    workspace.slack.channels.discard("C1")
    first = await speak(workspace.slack, "llama-8b qlora", event_id="Ev9")
    await first.acknowledged()
    await workspace.slack.until(lambda: workspace.slack.refusals)
    await workspace.app_is_idle()
    workspace.slack.channels.add("C1")
    workspace.slack.refusals.clear()
    for number in (9, 9, 10):
        await speak(workspace.slack, "llama-8b qlora", event_id=f"Ev{number}")
    await workspace.slack.post(2)
    await workspace.app_is_idle()
    assert len(workspace.slack.posts) == 2


async def test_d082_a_fault_is_one_apology_with_an_id_that_is_in_the_log(
    workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    workspace.desk.breaks = 1
    answer = await workspace.ask("/fit", "llama-8b qlora")
    assert "Something broke on my side" in answer["text"]
    error_id = next(word for word in answer["text"].split() if word in caplog.text)
    assert error_id
    workspace.desk.breaks = 1
    await speak(workspace.slack, "llama-8b qlora", event_id="Ev2")
    assert "Something broke" in (await workspace.slack.post())["text"]


@pytest.mark.parametrize(
    "event",
    [
        {"bot_id": "B1"},
        {"subtype": "message_changed"},
        {"subtype": "message_deleted"},
        {"user": ""},
    ],
)
async def test_d097_its_own_words_and_edits_are_not_answered(
    workspace: Workspace, event: dict[str, Any]
) -> None:
    sent = await speak(workspace.slack, "llama-8b qlora", channel="D1", event_id="Ev3", **event)
    assert await sent.acknowledged() < 3
    await speak(workspace.slack, "llama-8b lora", channel="D1", event_id="Ev4")
    post = await workspace.slack.post()
    assert "LoRA" in shown(post)
    assert len(workspace.slack.posts) == 1


async def test_a_direct_message_is_answered_where_it_was_written(workspace: Workspace) -> None:
    await speak(workspace.slack, "qlora 70b muat di 1x4090 gak?", channel="D1", event_id="Ev5")
    post = await workspace.slack.post()
    assert "thread_ts" not in post or not post["thread_ts"]
    assert post["channel"] == "D1"


async def test_the_shortcut_asks_about_a_message(workspace: Workspace) -> None:
    sent = await use_shortcut(workspace.slack, "should we try llama-70b with qlora & fsdp?")
    assert await sent.acknowledged() < 3
    answer = await sent.answer()
    assert "Llama 3.3 70B" in shown(answer) and answer["response_type"] == "ephemeral"


async def test_settings_are_the_administrators_to_change(workspace: Workspace) -> None:
    refused = await workspace.ask("/muat", "settings language=en", user="U2")
    assert "administrator" in refused["text"]
    done = await workspace.ask("/muat", "settings language=id", user="U1")
    assert SAID["settings"]["id"] in done["text"]
    assert "Sewa\\n" in shown(await workspace.ask("/fit", "llama-70b qlora", user="U1"))
    wrong = await workspace.ask("/muat", "settings language=fr", user="U1")
    assert '"fr"' in wrong["text"]
    await workspace.ask("/muat", "settings language=reader", user="U1")
    assert "Rent\\n" in shown(await workspace.ask("/fit", "llama-70b qlora", user="U1"))


async def test_d099_curly_quotes_and_long_dashes_are_read(workspace: Workspace) -> None:
    answer = await workspace.ask("/fit", "“llama 3 8b” –seq=4096 qlora")
    assert "4,096" in shown(answer)


async def test_d085_a_socket_that_is_dropped_is_replaced_and_answered_on(
    workspace: Workspace,
) -> None:
    await workspace.slack.drop()
    await workspace.slack.connected(sockets=2)
    assert "Llama" in shown(await workspace.ask("/fit", "llama-8b qlora"))


async def test_d088_a_second_process_with_the_same_token_is_warned_of(
    workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    async with workspace.app():
        await workspace.slack.connected(sockets=2)
        await workspace.ask("/fit", "llama-8b qlora")
        assert "another process is connected" in caplog.text


async def test_d092_a_model_name_of_400_letters_is_cut_in_the_header(workspace: Workspace) -> None:
    answer = await workspace.ask("/fit", "x" * 400 + "-7b qlora")
    assert answer["text"]
    assert all(len(b["text"]["text"]) <= 150 for b in answer["blocks"] if b["type"] == "header")


async def test_status_tells_the_age_of_the_prices(workspace: Workspace) -> None:
    for user, expected in (("U1", "bundled sample"), ("U2", "Sampel bawaan")):
        assert expected in (await workspace.ask("/muat", "status", user=user))["text"]


async def test_a_process_that_is_stopped_finishes_its_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    async with SlackStandIn() as slack:
        town = Workspace(slack, tmp_path)
        town.desk.open.clear()
        async with town.app():
            await slack.connected()
            sent = await slack.slash("/fit", "llama-8b qlora")
            await sent.acknowledged()
            asyncio.get_running_loop().call_soon(town.desk.open.set)  # when the stop is under way
        assert len(sent.messages) == 1 and "Llama" in shown(sent.messages[0])
