"""What the hub answered, kept on disk: an entry makes its model known offline."""

import json
import os
import tempfile
from pathlib import Path

from planner.models.hub.reading import LARGEST_CONFIG, Found, json_or_none

_VERSION = 1
#: Anybody in a chat can name models; the oldest entries go.
MOST_ENTRIES = 500


def default_folder() -> Path:
    """Where entries lie when nobody says otherwise: the user's cache folder."""
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("muat")) / "hub"


def load(folder: Path, hf_id: str) -> Found | None:
    """The entry of a model; None where there is none that can be read."""
    try:
        with _path(folder, hf_id).open("rb") as file:
            entry = json_or_none(file.read(2 * LARGEST_CONFIG))
    except OSError:
        return None
    if not isinstance(entry, dict) or entry.get("version") != _VERSION or "config" not in entry:
        return None
    params = entry.get("params_in_files")
    return Found(entry["config"], params if isinstance(params, int) else None)


def keep(folder: Path, hf_id: str, found: Found) -> None:
    """Write an entry whole or not at all; a folder that cannot be written to keeps nothing."""
    entry = {"version": _VERSION, **found._asdict()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, suffix=".new")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(entry, file)
        Path(name).replace(_path(folder, hf_id))
        _forget_the_oldest(folder)
    except OSError:
        return


def _forget_the_oldest(folder: Path) -> None:
    entries = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    for path in entries[:-MOST_ENTRIES]:
        path.unlink(missing_ok=True)


def _path(folder: Path, hf_id: str) -> Path:
    return folder / f"{hf_id.replace('/', '--')}.json"
