"""Settings: environment variables that begin with MUAT_, or the same lines in an .env file."""

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from planner.errors import BadInput

if TYPE_CHECKING:
    from bot.deployment import Settings

#: Rupiah for one US dollar where nobody sets a rate; taken on 2026-12-01.
DEFAULT_IDR_PER_USD = 16667.0
ENV_FILE = ".env"
PREFIX = "MUAT_"


class AnswerSettings(NamedTuple):
    """What an answer depends on: the catalog to read, rupiah for one US dollar, and the folder
    that keeps what the Hugging Face hub said.
    """

    catalog: Path | None = None
    idr_per_usd: float = DEFAULT_IDR_PER_USD
    cache: Path | None = None


@cache
def answer_settings() -> AnswerSettings:
    """The settings an answer needs; pydantic-settings loads only where something is set."""
    if not any(name.startswith(PREFIX) for name in os.environ) and not Path(ENV_FILE).exists():
        return AnswerSettings()
    deployed = deployment()
    return AnswerSettings(deployed.catalog, deployed.idr_per_usd, deployed.cache)


@cache
def deployment() -> "Settings":
    """Every setting of this process, tokens included; BadInput names the ones that are wrong."""
    from pydantic import ValidationError

    from bot.deployment import Settings

    try:
        return Settings()
    except ValidationError as error:
        names = tuple(f"{PREFIX}{one['loc'][0]}".upper() for one in error.errors())
        raise BadInput("cli.bad_setting", settings=names) from None
