"""The text behind a path or an address, bounded in size and time."""

import urllib.error
import urllib.request
from pathlib import Path

from planner.catalog.sources.source import SourceUnavailable

LARGEST_BYTES = 100_000_000
SECONDS = 60.0


def is_address(place: str) -> bool:
    """Whether `place` is an address rather than a path."""
    return place.startswith(("http://", "https://"))


def read_text(place: str) -> str:
    """Everything that stands there; SourceUnavailable where nothing readable does."""
    try:
        raw = _download(place) if is_address(place) else _read(Path(place))
        return raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceUnavailable("catalog.source_unreadable", place=place) from error


def _read(path: Path) -> bytes:
    if path.stat().st_size > LARGEST_BYTES:
        raise SourceUnavailable("catalog.source_too_large", place=str(path))
    return path.read_bytes()


def _download(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=SECONDS) as answer:  # noqa: S310  http(s) alone: is_address
        raw: bytes = answer.read(LARGEST_BYTES + 1)
    if len(raw) > LARGEST_BYTES:
        raise SourceUnavailable("catalog.source_too_large", place=address)
    return raw
