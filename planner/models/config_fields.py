"""Reads the fields of a Hugging Face config.json under their many names, and refuses absurd ones.

Which names a field has is data/config_fields.csv; what a model type leaves out is
data/model_types.csv.
"""

from collections.abc import Mapping
from functools import cache

from planner.data_files import read_rows
from planner.errors import BadInput

_PACKAGE = "planner.models"
#: No model has a width, depth or vocabulary beyond this; a context may be longer.
LARGEST_SIZE = 10_000_000
LARGEST_CONTEXT = 1_000_000_000
_LONGEST_SHOWN = 40


class Fields:
    """One object of a config, read by Muat's own names for its fields.

    `renames` are names that one model type gives to a field (a divisor may follow: "name/2");
    `defaults` the sizes its class assumes where the file leaves them out.
    """

    def __init__(
        self,
        config: Mapping[str, object],
        renames: Mapping[str, str] | None = None,
        defaults: Mapping[str, int] | None = None,
    ) -> None:
        self._config = config
        self._renames = renames or {}
        self._defaults = defaults or {}

    def size(self, field: str, largest: int = LARGEST_SIZE) -> int | None:
        """A size of at least 1; None where the config says nothing, 0 or null."""
        renamed, _, divisor = self._renames.get(field, "").partition("/")
        names = (renamed, *_names(field)) if renamed else _names(field)
        for name in names:
            value = _at(self._config, name)
            if value is not None:
                size = _whole(name, value, largest)
                return (size // int(divisor) if divisor and name == renamed else size) or None
        return self._defaults.get(field)

    def named_size(self, name: str) -> int | None:
        """The size under one exact name."""
        value = _at(self._config, name) if name else None
        return None if value is None else _whole(name, value, LARGEST_SIZE) or None

    def flag(self, name: str) -> bool | None:
        """A yes or no by its own name; None where the config says neither."""
        value = _at(self._config, name)
        return value if isinstance(value, bool) else None

    def either(self, field: str) -> bool | None:
        """The first yes or no among the names of a field."""
        said = (self.flag(name) for name in _names(field))
        return next((value for value in said if value is not None), None)

    def text(self, field: str) -> str:
        """A word, lower case; empty where the config has none."""
        for name in _names(field):
            value = _at(self._config, name)
            if isinstance(value, str):
                return value.lower()
        return ""


def nested(config: Mapping[str, object], *names: str) -> Mapping[str, object] | None:
    """The first of `names` that holds an object."""
    for name in names:
        value = config.get(name)
        if isinstance(value, dict):
            return value
    return None


def word(config: Mapping[str, object], name: str) -> str:
    """The string of a field, short enough to be shown; empty where there is none."""
    value = config.get(name)
    return value[:_LONGEST_SHOWN] if isinstance(value, str) else ""


def usual_name(field: str) -> str:
    """The most usual name of a field."""
    return _names(field)[0]


def _whole(name: str, value: object, largest: int) -> int:
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    if not isinstance(whole, int) or isinstance(whole, bool) or not 0 <= whole <= largest:
        raise BadInput("models.config_bad_size", field=name, value=_shown(value), largest=largest)
    return whole


def _shown(value: object) -> str:
    if isinstance(value, list):
        return "[…]"
    if isinstance(value, dict):
        return "{…}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**_LONGEST_SHOWN:
        return "1e40" if value > 0 else "-1e40"
    return str(value)[:_LONGEST_SHOWN]


def _at(config: Mapping[str, object], name: str) -> object:
    """The value at a name; "ffn_config.moe_top_k" lies inside another object."""
    outer, _, inner = name.partition(".")
    value = config.get(outer)
    if not inner:
        return value
    return _at(value, inner) if isinstance(value, dict) else None


@cache
def _all_names() -> dict[str, tuple[str, ...]]:
    rows = read_rows(_PACKAGE, "config_fields.csv")
    return {row["field"]: tuple(row["names"].split(";")) for row in rows}


def _names(field: str) -> tuple[str, ...]:
    return _all_names()[field]
