"""A model from a config.json on disk, with the metadata of the safetensors files beside it."""

import os
from pathlib import Path

from planner.errors import BadInput
from planner.models.config import architecture_from_config
from planner.models.hub.reading import LARGEST_CONFIG, Found, config_of, json_or_none
from planner.models.registry import Resolved
from planner.models.safetensors import elements_by_dtype, params_by_dtype, params_in_index

INDEX_FILE = "model.safetensors.index.json"
LARGEST_INDEX = 64 * 1024 * 1024
#: Files that hold something else than the model, or hold it a second time.
_NOT_THE_MODEL = ("adapter", "consolidated", "optimizer")
_MOST_FILES = 1000
_HEADER_LENGTH_BYTES = 8
_LONGEST_NAME = 80


def resolve_file(path: Path) -> Resolved:
    """The architecture of the config.json at `path`; BadInput says what is wrong with it."""
    found = read_folder(path)
    return architecture_from_config(found.config, _name(path), found.params_in_files)


def read_folder(path: Path) -> Found:
    """The config.json at `path` and the parameters that the files beside it hold."""
    config = config_of(_config_bytes(path), _name(path))
    if not isinstance(config, dict):
        return Found(config, None)
    index = json_or_none(_read(path.parent / INDEX_FILE, LARGEST_INDEX))
    counted = params_in_index(index, config)
    return Found(config, counted if counted is not None else _in_headers(path.parent))


def _name(path: Path) -> str:
    return str(path)[-_LONGEST_NAME:]


def _config_bytes(path: Path) -> bytes:
    try:
        is_folder, is_file = path.is_dir(), path.is_file()
    except OSError:
        is_folder = is_file = False
    if is_folder:
        raise BadInput("models.config_is_folder", path=_name(path))
    if not is_file:
        raise BadInput("models.config_no_file", path=_name(path))
    try:
        with path.open("rb") as file:
            return file.read(LARGEST_CONFIG + 1)
    except OSError:
        raise BadInput("models.config_unreadable", path=_name(path)) from None


def _read(path: Path, largest: int) -> bytes | None:
    """A file's bytes; None where there is no such file, or more in it than `largest`."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            raw = file.read(largest + 1)
    except OSError:
        return None
    return raw if len(raw) <= largest else None


def _in_headers(folder: Path) -> int | None:
    """The parameters by the headers of all safetensors files; None where one cannot be read."""
    files = sorted(
        path for path in folder.glob("*.safetensors") if not path.name.startswith(_NOT_THE_MODEL)
    )
    if not files or len(files) > _MOST_FILES:
        return None
    total: dict[str, int] = {}
    for path in files:
        elements = elements_by_dtype(json_or_none(_header(path)))
        if elements is None:
            return None
        for dtype, number in elements.items():
            total[dtype] = total.get(dtype, 0) + number
    return params_by_dtype(total)


def _header(path: Path) -> bytes | None:
    """The header of a safetensors file: as many bytes as its first eight say."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(_HEADER_LENGTH_BYTES), "little")
            is_there = length <= min(LARGEST_INDEX, os.fstat(file.fileno()).st_size)
            return file.read(length) if is_there else None
    except OSError:
        return None
