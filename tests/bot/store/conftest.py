"""Both databases, each empty: SQLite in a file, PostgreSQL from its wheel."""

import secrets
from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from bot.store.engine import open_store
from tests.standins.postgres import server_url


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request, tmp_path) -> Iterator[Engine]:
    if request.param == "sqlite":
        engine = open_store(f"sqlite:///{tmp_path / 'team.sqlite'}")
    else:
        engine = open_store(server_url(f"t{secrets.token_hex(6)}"))
    yield engine
    engine.dispose()
