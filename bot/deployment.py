"""Everything a deployment can set, checked when a process starts."""

from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.settings import DEFAULT_IDR_PER_USD, ENV_FILE, PREFIX


class Settings(BaseSettings):
    """One field for each MUAT_ variable. Tokens are secret: they never appear in its text form."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=ENV_FILE, extra="ignore")

    slack_bot_token: SecretStr | None = None
    slack_app_token: SecretStr | None = None
    slack_api_url: str | None = None
    discord_token: SecretStr | None = None
    discord_api_url: str | None = None
    discord_gateway_url: str | None = None
    discord_reads_messages: bool = False
    catalog: Path | None = None
    cache: Path | None = None
    database_url: SecretStr | None = None
    port: int = Field(default=8080, ge=1, le=65535)
    encryption_key: SecretStr | None = None
    worker_id: str | None = None
    worker_port: int | None = Field(default=None, ge=1, le=65535)
    refresh_hours: float = Field(default=12.0, ge=0)
    slack_signing_secret: SecretStr | None = None
    idr_per_usd: float = Field(default=DEFAULT_IDR_PER_USD, gt=0)
