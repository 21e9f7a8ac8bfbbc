"""Somebody types /fit in Slack: a real slack-bolt app on a real socket, against the stand-in."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from bot.cards.card import Card
from bot.cards.fit import fit_card
from bot.cards.notice import notice_card
from bot.cards.sample import sample_card, sample_names, sample_plan
from bot.slack.app import connected
from planner.notes import note
from planner.query import Language
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tests.standins.slack_answers import answers_of

ENGLISH_READER, INDONESIAN_READER = "U1", "U2"
HOSTILE = [
    "<!channel> <@U1> <https://evil.example|click>",
    "&lt;!here&gt; & co",
    "```` `code` ``` *bold* _it_ ~no~",
    "\u202egnp.exe \u200f\u05d0\u05d1",
    "x" * 300,
    "🦙" * 300,
    "line\nbreak\ttab\x00nul\x1b[31mred",
    '"},{"type":"divider"}{{ 7 * 7 }}{% raw %}',
]


@dataclass
class Said:
    card: Card
    language: Language


class FakeDesk:
    """Answers with one card, as soon as `open` is set; remembers what it was asked."""

    def __init__(self) -> None:
        self.card: Callable[[], Card] = lambda: sample_card("fit")
        self.asked: list[tuple[str, Language | None]] = []
        self.open = asyncio.Event()
        self.open.set()

    async def answer(self, text: str, *, language: Language | None) -> Said:
        self.asked.append((text, language))
        await self.open.wait()
        return Said(self.card(), language or "en")


@pytest.fixture
def desk() -> FakeDesk:
    return FakeDesk()


@pytest.fixture
async def slack(desk: FakeDesk) -> AsyncIterator[SlackStandIn]:
    async with (
        SlackStandIn() as stand_in,
        connected(
            bot_token=BOT_TOKEN,
            app_token=APP_TOKEN,
            answers=answers_of(desk),
            api_url=stand_in.api_url,
        ),
    ):
        await stand_in.connected()
        yield stand_in


def texts(node: Any) -> list[str]:
    """Every text that a message shows in its blocks."""
    if isinstance(node, list):
        return [text for item in node for text in texts(item)]
    if not isinstance(node, dict):
        return []
    own = [node["text"]] if isinstance(node.get("text"), str) else []
    return own + [text for value in node.values() for text in texts(value)]


@pytest.mark.parametrize(
    ("reader", "language", "headline", "rent"),
    [
        (ENGLISH_READER, "en", "✅ Fits: Llama 3.3 70B, QLoRA", "Rent"),
        (INDONESIAN_READER, "id", "✅ Muat: Llama 3.3 70B, QLoRA", "Sewa"),
    ],
)
async def test_d083_fit_is_acknowledged_at_once_and_answered_with_one_ephemeral_card(
    slack: SlackStandIn,
    desk: FakeDesk,
    reader: str,
    language: Language,
    headline: str,
    rent: str,
) -> None:
    desk.open.clear()
    sent = await slack.slash("/fit", "llama-70b qlora", user=reader)
    assert await sent.acknowledged() < 3
    assert sent.messages == []
    desk.open.set()
    message = await sent.answer()
    assert desk.asked == [("/fit llama-70b qlora", language)]
    assert message["response_type"] == "ephemeral"
    assert message["blocks"][0]["text"]["text"] == headline
    assert f"{rent}\n" in texts(message["blocks"])
    assert headline[2:7].rstrip(":") in message["text"]
    assert slack.calls["response_url"] == 1 and slack.refusals == [] and slack.posts == []


async def test_d084_nothing_is_asked_of_slack_before_the_ack(
    slack: SlackStandIn, desk: FakeDesk
) -> None:
    before = slack.calls["auth.test"]
    held = slack.hold("users.info")
    slack.hold("auth.test")
    sent = await slack.slash("/fit", "llama-70b")
    assert await sent.acknowledged() < 3
    held.set()
    await sent.answer()
    assert slack.calls["auth.test"] == before


@pytest.mark.parametrize("name", sample_names())
@pytest.mark.parametrize("reader", [ENGLISH_READER, INDONESIAN_READER])
async def test_every_kind_of_card_is_taken_by_slack(
    slack: SlackStandIn, desk: FakeDesk, name: str, reader: str
) -> None:
    desk.card = lambda: sample_card(name)
    message = await (await slack.slash("/fit", "anything", user=reader)).answer()
    assert message["blocks"] and slack.refusals == []
    assert not [text for text in texts(message["blocks"]) if text.startswith(("slack.", "cards."))]


async def test_every_command_of_the_app_reaches_the_desk_with_its_name(
    slack: SlackStandIn, desk: FakeDesk
) -> None:
    for command, text in (("/prices", "a100"), ("/fit", ""), ("/fit", "a <b> & “c”")):
        await (await slack.slash(command, text)).answer()
    assert [asked for asked, _ in desk.asked] == ["/prices a100", "/fit", "/fit a <b> & “c”"]


async def test_two_questions_at_once_each_get_their_own_answer(
    slack: SlackStandIn, desk: FakeDesk
) -> None:
    desk.open.clear()
    first, second = await slack.slash("/fit", "one"), await slack.slash("/fit", "two")
    await first.acknowledged()
    await second.acknowledged()
    desk.open.set()
    await first.answer()
    await second.answer()
    assert (len(first.messages), len(second.messages)) == (1, 1)


async def test_d095_a_channel_the_bot_is_not_in_is_answered_too(slack: SlackStandIn) -> None:
    message = await (await slack.slash("/fit", "llama-70b", channel="C9")).answer()
    assert message["response_type"] == "ephemeral" and slack.refusals == []


async def test_bad_input_gets_a_sentence(slack: SlackStandIn, desk: FakeDesk) -> None:
    missing = note("slack.missing_token", settings=("MUAT_SLACK_APP_TOKEN",))
    desk.card = lambda: notice_card((missing,), "bad")
    message = await (await slack.slash("/fit", "lama-70b")).answer()
    assert message["text"].startswith("⚠️ Slack needs MUAT_SLACK_APP_TOKEN")
    assert "".join(texts(message["blocks"])) == message["text"]


def broken() -> Card:
    raise RuntimeError("https://internal.example/secret is on fire")


@pytest.mark.parametrize(
    ("reader", "words"),
    [(ENGLISH_READER, "Something broke"), (INDONESIAN_READER, "Ada yang rusak")],
)
async def test_d082_a_crash_gets_one_apology_with_the_id_that_is_in_the_log(
    slack: SlackStandIn,
    desk: FakeDesk,
    caplog: pytest.LogCaptureFixture,
    reader: str,
    words: str,
) -> None:
    desk.card = broken
    sent = await slack.slash("/fit", "llama-70b", user=reader)
    await sent.acknowledged()
    apology = (await sent.answer())["text"]
    logged = next(r for r in caplog.records if "error id" in r.getMessage())
    error_id = logged.getMessage().split("error id ")[1].rstrip(")")
    assert apology.startswith(words) and error_id in apology
    assert logged.exc_info
    assert "fire" not in apology and "http" not in apology and "Traceback" not in apology
    assert len(sent.messages) == 1 and slack.refusals == []


async def test_a_card_that_slack_refuses_is_followed_by_an_apology(
    slack: SlackStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {"text": "a", "blocks": [{"type": "marquee"}]}
    monkeypatch.setattr("bot.slack.answers.render", lambda card, surface, words, below=(): wrong)
    message = await (await slack.slash("/fit", "llama-70b")).answer()
    assert message["text"].startswith("Something broke")
    assert len(slack.refusals) == 1


async def test_a_rate_limited_answer_is_not_lost(
    slack: SlackStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("random.random", lambda: 0.0)
    slack.fault("response_url", 429, retry_after=0, times=2)
    sent = await slack.slash("/fit", "llama-70b")
    await sent.answer()
    assert slack.calls["response_url"] == 3 and len(sent.messages) == 1


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("reader", [ENGLISH_READER, INDONESIAN_READER])
async def test_d100_a_hostile_model_name_is_harmless(
    slack: SlackStandIn, desk: FakeDesk, name: str, reader: str
) -> None:
    plan = sample_plan()
    option = plan.options[0].model_copy(
        update={"provider": name, "instance_type": name, "region": name}
    )
    plan = plan.model_copy(update={"options": (option, *plan.options[1:])})
    desk.card = lambda: fit_card(plan, name)
    message = await (await slack.slash("/fit", name, user=reader)).answer()
    assert slack.refusals == [] and slack.pings == []
    assert len(message["blocks"]) > 1
    shown = json.dumps(message, ensure_ascii=False)
    assert not set(shown) & {"\u202e", "\u200f", "\x1b", "\x00"} and "\\u001b" not in shown


@pytest.mark.parametrize("name", HOSTILE)
async def test_d100_a_hostile_word_in_a_notice_is_harmless(
    slack: SlackStandIn, desk: FakeDesk, name: str
) -> None:
    notice = notice_card((note("slack.unreachable", url=name, reason=name),) * 4, "bad")
    desk.card = lambda: notice
    message = await (await slack.slash("/fit", name)).answer()
    assert slack.refusals == [] and slack.pings == []
    assert len(texts(message["blocks"])) == 4


async def test_slack_asks_for_a_new_socket_and_the_next_question_is_answered(
    slack: SlackStandIn,
) -> None:
    await slack.disconnect("refresh_requested")
    await slack.connected(sockets=2)
    sent = await slack.slash("/fit", "llama-70b")
    await sent.acknowledged()
    await sent.answer()
    assert len(sent.messages) == 1 and slack.refusals == []


async def test_an_answer_under_way_is_finished_before_the_app_leaves(desk: FakeDesk) -> None:
    desk.open.clear()
    async with SlackStandIn() as slack:
        async with connected(
            bot_token=BOT_TOKEN,
            app_token=APP_TOKEN,
            answers=answers_of(desk),
            api_url=slack.api_url,
        ):
            await slack.connected()
            sent = await slack.slash("/fit", "llama-70b")
            await sent.acknowledged()
            asyncio.get_running_loop().call_soon(desk.open.set)
        assert len(sent.messages) == 1


async def test_neither_tokens_nor_response_urls_are_logged(
    slack: SlackStandIn, desk: FakeDesk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    desk.card = broken
    sent = await slack.slash("/fit", "llama-70b")
    await sent.answer()
    assert "error id" in caplog.text
    for secret in (BOT_TOKEN, APP_TOKEN, sent.response_url):
        assert secret not in caplog.text
