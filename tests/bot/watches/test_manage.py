"""/watch in a channel, on both databases."""

import pytest

from bot.cards.notice import notice_card
from bot.digests.manage import Channel
from bot.language import words
from bot.render import ChatSurface, render
from bot.store.engine import Store
from bot.store.watches import MOST, find, of_channel, payload_of, untold
from bot.watches.manage import Request, manage
from planner.notes import Note
from planner.query import Language
from tests.bot.watches.conftest import NOW, Market

HERE = Channel("slack", "T1", "C1", "U1", True)
WISH = "llama-8b qlora under $5/h"


@pytest.fixture
def ask(store: Store, market: Market):
    market.sell(2.0, NOW)

    def asked(
        typed: str, where: Channel = HERE, language: Language = "en", *, button: bool = False
    ) -> tuple[Note, ...]:
        return manage(store, where, Request(typed, language, NOW, button), market.prices)

    return asked


def kept(store: Store, notes: tuple[Note, ...]):
    watch = find(store, str(notes[0].values["id"]))
    assert watch is not None
    return watch


def test_it_says_what_it_costs_now_and_when_the_channel_hears(store, ask):
    made = ask("llama-8b qlora under $1.50/h")
    assert made[0].code == "watches.made_hour"
    assert made[0].values["usd_now"] == pytest.approx(2.0)
    watch = kept(store, made)
    assert (watch.figure, watch.limit_usd) == ("hour", 1.5)
    assert (watch.standing.armed, watch.standing.last_usd) == (True, pytest.approx(2.0))
    assert watch.machine == "1x A100-SXM4-80GB Lambda 1x A100-SXM4-80GB"
    said = words("en").say(made[0])
    assert "now $2.00 per hour" in said and "under $1.50" in said


def test_what_is_under_its_limit_already_says_so_and_waits_for_the_price_to_leave(store, ask):
    made = ask(WISH)
    assert made[0].code == "watches.under_hour"
    assert not kept(store, made).standing.armed
    assert "$5.10" in words("en").say(made[0])


def test_the_limit_is_no_filter_of_the_plan(store, ask):
    """$1 an hour rents nothing here, and still the price now is told."""
    assert ask("llama-8b qlora under $1/h")[0].values["usd_now"] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("typed", "figure", "limit"),
    [
        ("llama-8b qlora under $40", "run", 40.0),
        ("llama-8b qlora < $40", "run", 40.0),
        ("llama-8b qlora <$40", "run", 40.0),
        ("llama-8b qlora below $40 total", "run", 40.0),
        ("llama-8b qlora di bawah Rp 650rb", "run", 650_000 / 16667),
        ("llama-8b qlora under $2/h", "hour", 2.0),
        ("kabari kalau llama-8b qlora di bawah $40", "run", 40.0),
        ("a100 under $1.20/h", "gpu_hour", 1.2),
        ("8x a100 di bawah $8/jam", "gpu_hour", 1.0),
    ],
)
def test_limits_in_both_languages(store, ask, typed, figure, limit):
    watch = kept(store, ask(typed))
    assert (watch.figure, watch.limit_usd) == (figure, pytest.approx(limit))


def test_without_a_limit_it_is_ten_per_cent_under_the_price_now_and_says_so(store, ask):
    made = ask("a100")
    assert kept(store, made).limit_usd == pytest.approx(1.8)
    assert "watches.limit_assumed" in {one.code for one in made}


def test_the_button_puts_the_limit_of_its_question_aside(store, ask):
    made = ask("llama-8b qlora under $5/h", button=True)
    watch = kept(store, made)
    assert (watch.figure, watch.limit_usd) == ("hour", pytest.approx(1.8))
    assert watch.standing.armed


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("", "watches.none_here"),
        ("under $40", "watches.nothing_named"),
        ("h100 under $40", "watches.cards_by_the_hour"),
        ("llama-8b under $40 and $2/h", "watches.two_limits"),
        ("llama-8b qlora under $0", "watches.limit_zero"),
        ("zork-70b qlora under $40", "models.unknown"),
        ("gpt-4 under $40", "grammar.closed_model"),
        ("llama-405b full on 1x a100", "watches.no_price_yet"),
    ],
)
def test_mistakes_are_one_sentence_in_both_languages_and_keep_nothing(store, ask, typed, code):
    (note,) = ask(typed)
    assert note.code == code
    assert len({words(language).say(note) for language in ("en", "id")}) == 2
    assert of_channel(store, "slack", "T1", "C1") == {}


def test_what_is_not_for_rent_now_can_be_watched(store, ask):
    made = ask("llama-405b full on 1x a100 under $40")
    assert made[0].code == "watches.made_unpriced"
    watch = kept(store, made)
    assert watch.standing == (True, None)


def test_it_is_listed_paused_resumed_and_deleted(store, ask):
    key = str(ask(WISH)[0].values["id"])
    assert [one.code for one in ask("list")] == ["watches.one_hour"]
    assert ask(f"pause {key}")[0].code == "watches.did_pause"
    assert [one.code for one in ask("daftar")] == ["watches.one_hour_paused"]
    assert ask(f"lanjut {key}")[0].code == "watches.did_resume"
    assert find(store, key).paused_because == ""
    assert ask(f"hapus {key}")[0].code == "watches.did_delete"
    assert find(store, key) is None
    assert ask(f"delete {key}")[0].code == "watches.no_such"


@pytest.mark.parametrize("language", ["en", "id"])
def test_a_test_message_tells_the_price_now_and_changes_nothing_else(store, ask, language):
    key = str(ask("llama-8b qlora under $1.50/h", language=language)[0].values["id"])
    before = find(store, key)
    assert ask("uji " + key)[0].code == "watches.did_test"
    (crossing,) = untold(store)
    told = {"en": "A test message: $2.00 per hour now", "id": "Pesan uji: sekarang $2,00 per jam"}
    assert told[language] in payload_of(store, key, crossing.number)
    assert find(store, key) == before._replace(crossings=1)
    assert ask("test zork")[0].code == "watches.no_such"


def test_nothing_is_tested_where_nothing_is_for_rent(store, ask):
    key = str(ask("llama-405b full on 1x a100 under $40")[0].values["id"])
    assert ask(f"test {key}")[0].code == "watches.plan_unpriced"
    assert untold(store) == []


def test_another_channel_neither_sees_nor_changes_it(store, ask):
    key = str(ask(WISH)[0].values["id"])
    other = HERE._replace(channel="C2")
    assert ask("list", other)[0].code == "watches.none_here"
    assert ask(f"delete {key}", other)[0].code == "watches.no_such"
    assert find(store, key) is not None


def test_who_may_not_manage_only_looks(store, ask):
    guest = HERE._replace(may_manage=False)
    for typed in (WISH, "pause x", "delete x", "test x"):
        assert [one.code for one in ask(typed, guest)] == ["watches.refused"]
    assert [one.code for one in ask(WISH, guest, button=True)] == ["watches.refused"]
    ask(WISH)
    assert [one.code for one in ask("list", guest)] == ["watches.one_hour"]


@pytest.mark.parametrize("surface", ["slack", "discord"])
def test_a_channel_has_a_few_and_the_list_of_them_fits_one_message(
    store, ask, surface: ChatSurface
):
    for _ in range(MOST):
        assert ask("llama-8b qlora under $9/h " + "*zork* " * 60)[0].code == "watches.under_hour"
    assert ask(WISH)[0].code == "watches.too_many"
    shown = str(render(notice_card(ask("list"), "neutral", MOST), surface, words("en")))
    assert shown.count("llama-8b") >= MOST


def test_what_was_seen_at_creation_is_not_looked_at_again(store, ask):
    made = ask(WISH)
    assert kept(store, made).checked_until == NOW
