"""Answers of the Slack app over a store of their own."""

from datetime import UTC, datetime
from tempfile import mkdtemp

from bot.slack.answers import Answers, AnswersTexts
from bot.store.engine import Store, open_store

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def answers_of(desk: AnswersTexts, store: Store | None = None) -> Answers:
    """What the app answers from `desk`, in `store` or an empty one."""
    return Answers(desk, store or empty_store(), lambda: NOW)


def empty_store() -> Store:
    """A store nobody else has."""
    return open_store(f"sqlite:///{mkdtemp(prefix='muat-store-')}/team.sqlite")
