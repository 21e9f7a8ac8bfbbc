"""The text behind a path or an address, bounded in size and time."""

import csv
import io
import time
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import Protocol

from planner.catalog.sources.source import SourceUnavailable

LARGEST_BYTES = 100_000_000
#: For the whole of a list, however slowly it comes.
SECONDS = 60.0
_PIECE_BYTES = 1_000_000


def is_address(place: str) -> bool:
    """Whether `place` is an address rather than a path."""
    return place.startswith(("http://", "https://"))


def read_text(place: str) -> str:
    """Everything that stands there; SourceUnavailable where nothing readable does."""
    try:
        raw = _download(place) if is_address(place) else _read(Path(place))
        return raw.decode("utf-8-sig")
    except (OSError, HTTPException, ValueError) as error:
        raise SourceUnavailable("catalog.source_unreadable", place=place) from error


def read_table(place: str, text: str) -> tuple[tuple[str, ...], list[dict[str, str]]]:
    """The columns of a CSV text and its rows, by column; what a row has beyond them is left out.
    SourceUnavailable, naming the place, where it is no CSV.
    """
    try:
        table = csv.DictReader(io.StringIO(text))
        columns = tuple(table.fieldnames or ())
        rows = [{name: row.get(name) or "" for name in columns} for row in table]
    except csv.Error as error:
        raise SourceUnavailable("catalog.source_unreadable", place=place) from error
    return columns, rows


def _read(path: Path) -> bytes:
    if path.stat().st_size > LARGEST_BYTES:
        raise SourceUnavailable("catalog.source_too_large", place=str(path))
    return path.read_bytes()


def _download(address: str) -> bytes:
    deadline = time.monotonic() + SECONDS
    with urllib.request.urlopen(address, timeout=SECONDS) as answer:  # noqa: S310  http(s) alone: is_address
        return all_of(answer, address, lambda: time.monotonic() > deadline)


class _Answer(Protocol):
    def read1(self, n: int, /) -> bytes: ...


def all_of(answer: _Answer, address: str, is_late: Callable[[], bool]) -> bytes:
    """What an answer holds; SourceUnavailable where it is too large or does not end in time."""
    raw = bytearray()
    while piece := answer.read1(_PIECE_BYTES):
        raw += piece
        if len(raw) > LARGEST_BYTES:
            raise SourceUnavailable("catalog.source_too_large", place=address)
        if is_late():
            raise SourceUnavailable("catalog.source_too_slow", place=address)
    return bytes(raw)
