"""One writer at a time, by a lock that no killed process leaves behind."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from planner.errors import Refusal


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Hold the right to write `path`; Refusal where another process or thread holds it.

    The lock is that of an empty SQLite database beside the file: the operating system lets go of it
    with the process, on every system. Nobody ever reads that database, so holding it while sources
    are asked keeps nobody waiting.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = sqlite3.connect(path.with_name(f".{path.name}.lock"), timeout=0, isolation_level=None)
    with closing(lock):
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            raise Refusal("catalog.store_busy", path=str(path)) from error
        yield
