"""/digest in a channel, on both databases."""

from datetime import UTC, datetime, timedelta

from bot.digests.manage import MOST, Channel, manage
from bot.store.engine import Store
from bot.store.subscriptions import all_of, find, wanted
from bot.store.workers import LOST_AFTER, show
from planner.notes import Note

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)  # a Tuesday
HERE = Channel("slack", "T1", "C1", "U1", True)
WISH = "mondays 09:00 Asia/Jakarta h100 a100 over 5%"


def asked(store: Store, typed: str, where: Channel = HERE) -> tuple[Note, ...]:
    return manage(store, where, typed, "en", 1 / 16667, NOW)


def test_a_digest_is_made_and_says_when_it_comes_next(store: Store) -> None:
    made, *others = asked(store, WISH)
    assert made.code == "digests.made"
    assert made.values["when"] == "2026-12-07 09:00"
    kept = find(store, str(made.values["id"]))
    assert kept is not None
    assert (kept.channel, kept.what, kept.threshold_percent) == ("C1", "h100 a100", 5.0)
    assert "digests.zone_assumed" not in {one.code for one in others}


def test_a_zone_that_was_not_said_is_said_to_be_assumed(store: Store) -> None:
    codes = {one.code for one in asked(store, "daily 09:00 h100")}
    assert {"digests.made", "digests.zone_assumed"} <= codes


def test_it_is_listed_paused_resumed_and_deleted(store: Store) -> None:
    key = str(asked(store, WISH)[0].values["id"])
    assert [one.code for one in asked(store, "list")] == ["digests.one"]
    assert asked(store, f"pause {key}")[0].code == "digests.did_pause"
    assert [one.code for one in asked(store, "daftar")] == ["digests.one_paused"]
    assert asked(store, f"lanjut {key}")[0].code == "digests.did_resume"
    assert all_of(store)[0][2] == ""
    assert asked(store, f"hapus {key}")[0].code == "digests.did_delete"
    assert [one.code for one in asked(store, "")] == ["digests.none_here"]


def test_another_channel_neither_sees_nor_changes_it(store: Store) -> None:
    key = str(asked(store, WISH)[0].values["id"])
    other = HERE._replace(channel="C2")
    assert asked(store, "list", other)[0].code == "digests.none_here"
    assert asked(store, f"delete {key}", other)[0].code == "digests.no_such"
    assert find(store, key) is not None


def test_who_may_not_manage_only_looks(store: Store) -> None:
    guest = HERE._replace(may_manage=False)
    assert asked(store, WISH, guest)[0].code == "digests.refused"
    assert asked(store, "list", guest)[0].code == "digests.none_here"
    assert all_of(store) == []


def test_mistakes_are_sentences_and_keep_nothing(store: Store) -> None:
    assert asked(store, "mondays 09:00 Mars/Olympus h100")[0].code == "digests.unknown_zone"
    assert all_of(store) == []


def test_a_channel_has_a_few(store: Store) -> None:
    for _ in range(MOST):
        assert asked(store, WISH)[0].code == "digests.made"
    assert asked(store, WISH)[0].code == "digests.too_many"


def test_one_is_sent_at_once_where_it_is_asked_for(store: Store) -> None:
    key = str(asked(store, WISH)[0].values["id"])
    show(store, "w1", NOW)
    assert [one.code for one in asked(store, f"test {key}")] == ["digests.did_test"]
    assert [(found, at) for found, _, at in wanted(store)] == [(key, NOW)]
    assert asked(store, "kirim nothing")[0].code == "digests.no_such"
    assert asked(store, f"test {key}", HERE._replace(may_manage=False))[0].code == "digests.refused"


def test_who_waits_for_a_digest_hears_that_no_worker_runs(store: Store) -> None:
    assert "digests.no_worker" in {one.code for one in asked(store, WISH)}
    show(store, "w1", NOW - LOST_AFTER)
    assert "digests.no_worker" in {one.code for one in asked(store, WISH)}
    show(store, "w1", NOW - timedelta(minutes=2))
    assert "digests.no_worker" not in {one.code for one in asked(store, WISH)}
