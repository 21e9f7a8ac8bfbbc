"""Team state: the same answers from both databases."""

from datetime import UTC, datetime, timedelta

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from bot.store.asked import KEPT, Asked, recall, remember
from bot.store.deliveries import take
from bot.store.engine import migrate, open_store
from bot.store.tables import metadata
from bot.store.team_settings import Where, set_value, settings_of
from bot.store.unasked import MOST_PER_HOUR, Spot, Tally, reserve, tallies, vote
from planner.errors import BadInput

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)
QUESTION = Asked("fit", "llama-70b qlora", "id", "slack", "T1", "U1")


def test_the_migrations_make_the_tables_the_code_speaks_of(store):
    with store.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_migrating_again_changes_nothing(store):
    key = remember(store, QUESTION, NOW)
    migrate(store)
    assert recall(store, key) == QUESTION


def test_a_question_is_found_by_its_id_and_by_no_other(store):
    key = remember(store, QUESTION, NOW)
    assert remember(store, QUESTION, NOW) != key
    assert len(key) <= 24
    assert recall(store, key) == QUESTION
    assert recall(store, "nobody") is None


def test_old_questions_are_forgotten(store):
    key = remember(store, QUESTION, NOW)
    remember(store, QUESTION, NOW + KEPT)
    assert recall(store, key) == QUESTION
    remember(store, QUESTION, NOW + KEPT + timedelta(seconds=1))
    assert recall(store, key) is None


def test_a_delivery_is_taken_once(store):
    assert take(store, "slack", "Ev1", NOW)
    assert not take(store, "slack", "Ev1", NOW)
    assert take(store, "discord", "Ev1", NOW)
    assert take(store, "slack", "Ev2", NOW)


def test_a_channel_overrides_its_workspace(store):
    team, channel = Where("slack", "T1"), Where("slack", "T1", "C1")
    set_value(store, team, "language", "id", by="U1", now=NOW)
    set_value(store, channel, "language", "en", by="U1", now=NOW)
    assert settings_of(store, channel) == {"language": "en"}
    assert settings_of(store, Where("slack", "T1", "C2")) == {"language": "id"}
    assert settings_of(store, Where("discord", "T1")) == {}
    set_value(store, channel, "language", None, by="U1", now=NOW)
    assert settings_of(store, channel) == {"language": "id"}


@pytest.mark.parametrize(
    "url",
    ["mysql://muat:hush@db/muat", "not a url", "sqlite:////nowhere/at/all/x.sqlite"],
)
def test_an_unusable_database_is_one_sentence_without_its_password(url):
    with pytest.raises(BadInput) as refusal:
        open_store(url)
    assert "hush" not in str(refusal.value.note)


def test_a_thread_is_answered_unasked_once_and_a_channel_a_few_times_an_hour(store):
    spots = [Spot("slack", "T1", "C1", f"thread-{n}") for n in range(MOST_PER_HOUR + 2)]
    first = reserve(store, spots[0], "checkpointing", NOW)
    assert first is not None
    assert reserve(store, spots[0], "checkpointing", NOW) is None
    others = [reserve(store, one, "egress_cost", NOW) for one in spots[1:]]
    assert [one is not None for one in others] == [True] * (MOST_PER_HOUR - 1) + [False] * 2
    assert reserve(store, Spot("slack", "T1", "C2", "thread-0"), "egress_cost", NOW)
    later = NOW + timedelta(hours=1, seconds=1)
    assert reserve(store, spots[-1], "egress_cost", later)


def test_votes_are_kept_one_a_person_and_the_last_counts(store):
    key = reserve(store, Spot("slack", "T1", "C1", "t"), "checkpointing", NOW)
    assert vote(store, key, "U1", True, NOW)
    assert vote(store, key, "U1", False, NOW)
    assert vote(store, key, "U2", True, NOW)
    assert not vote(store, "nobody", "U2", True, NOW)
    assert tallies(store, "slack", "T1") == (Tally("checkpointing", 1, 1, 1),)
    assert tallies(store, "discord", "T1") == ()
