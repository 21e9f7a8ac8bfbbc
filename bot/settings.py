"""Settings: environment variables that begin with MUAT_, or the same lines in an .env file."""

from functools import cache
from pathlib import Path

from pydantic import SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

#: Rupiah for one US dollar where nobody sets a rate, and the day it was taken.
DEFAULT_IDR_PER_USD = 16667.0
DEFAULT_IDR_PER_USD_DATE = "2026-12-01"


class Settings(BaseSettings):
    """Everything a deployment can set. Tokens are secret: they never appear in a text form of this
    object.
    """

    model_config = SettingsConfigDict(env_prefix="MUAT_", env_file=".env", extra="ignore")

    slack_bot_token: SecretStr | None = None
    slack_app_token: SecretStr | None = None
    slack_signing_secret: SecretStr | None = None
    slack_api_url: str | None = None
    discord_token: SecretStr | None = None
    discord_api_url: str | None = None
    discord_gateway_url: str | None = None
    catalog: Path | None = None
    idr_per_usd: float = DEFAULT_IDR_PER_USD


@cache
def settings() -> Settings:
    """The settings of this process, read once."""
    return Settings()
