"""The database of a team's state: opened, brought up to date, and the same on both engines."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from planner.errors import BadInput

if TYPE_CHECKING:
    from alembic.config import Config

#: What `open_store` gives and every function of the store takes.
Store = Engine

BUSY_SECONDS = 10
_MIGRATIONS = Path(__file__).parent / "migrations"


@cache
def open_store(url: str | None = None) -> Engine:
    """The engine behind `url`, its tables brought up to date; one for each `url` of a process.

    None is SQLite in the user's data folder. BadInput names the setting, never the password, where
    the database cannot be used.
    """
    try:
        engine = _engine(url)
        migrate(engine)
    except (SQLAlchemyError, OSError, ImportError) as error:
        raise BadInput("cli.database_unusable", reason=type(error).__name__) from None
    return engine


def require_answer(engine: Engine) -> None:
    """Raises where the database does not answer."""
    with engine.connect() as connection:
        connection.exec_driver_sql("select 1")


def migrate(engine: Engine) -> None:
    """Bring the tables of `engine` up to date; two processes may try at the same time."""
    from alembic import command

    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("select pg_advisory_xact_lock(7106116)")
        command.upgrade(_alembic(connection), "head")


def _alembic(connection: Connection) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    return config


def _engine(url: str | None) -> Engine:
    if url is None:
        return _sqlite(f"sqlite:///{_default_file()}")
    try:
        wanted = make_url(url)
    except ArgumentError:
        raise BadInput("cli.database_url_unreadable") from None
    if wanted.drivername in ("postgres", "postgresql"):
        wanted = wanted.set(drivername="postgresql+psycopg")
    if wanted.get_backend_name() == "sqlite":
        return _sqlite(wanted.render_as_string(hide_password=False))
    if wanted.get_backend_name() != "postgresql":
        raise BadInput("cli.database_kind", kind=wanted.get_backend_name())
    return create_engine(wanted, pool_pre_ping=True)


def _sqlite(url: str) -> Engine:
    """SQLite as several processes share it: a write lock taken at the start of a transaction, so
    that none fails in its middle because another one wrote first.
    """
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma foreign_keys = on")

    @event.listens_for(engine, "begin")
    def lock(connection: Connection) -> None:
        connection.exec_driver_sql("begin immediate")

    return engine


def _default_file() -> Path:
    from platformdirs import user_data_dir

    folder = Path(user_data_dir("muat"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "team.sqlite"
