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
