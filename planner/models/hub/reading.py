"""Bytes as JSON, and what a model outside the registry is made of."""

import json
from typing import NamedTuple

from planner.errors import BadInput

#: No config.json is larger.
LARGEST_CONFIG = 1024 * 1024


class Found(NamedTuple):
    """A config.json as parsed, and the parameters that the weight files' metadata count."""

    config: object
    params_in_files: int | None


def config_of(raw: bytes, name: str) -> object:
    """The JSON of a config.json called `name`; BadInput where it is too large or none."""
    if len(raw) > LARGEST_CONFIG:
        raise BadInput("models.config_too_large", name=name, largest_kib=LARGEST_CONFIG // 1024)
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise BadInput("models.config_not_json", name=name) from None


def json_or_none(raw: bytes | None) -> object:
    """The JSON of a file that may be anything; None where it is none."""
    if raw is None:
        return None
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
