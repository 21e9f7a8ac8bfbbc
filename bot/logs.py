"""Logs of a process: structured, one line each, JSON where nobody watches, without secrets."""

import logging
import sys
from typing import Any

import structlog

from bot.deployment import Settings
from bot.redaction import keep_secret, redact, redact_all_logs

_FIELDS: tuple[structlog.typing.Processor, ...] = (
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.ExtraAdder(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
)


def start_logs(wanted: Settings) -> None:
    """Write the logs of every library to standard error, without the secrets of `wanted`."""
    keep_secret(
        *(
            value.get_secret_value()
            for name in Settings.model_fields
            if (value := getattr(wanted, name)) is not None and hasattr(value, "get_secret_value")
        )
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=list(_FIELDS),
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _renderer(sys.stderr.isatty()),
                _without_secrets,
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for chatty in ("aiohttp.access", "alembic"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    redact_all_logs()


def _without_secrets(_: object, __: str, line: Any) -> str:
    """The finished line, traceback and all, without what is secret."""
    return redact(str(line))


def _renderer(is_watched: bool) -> structlog.typing.Processor:
    if is_watched:
        return structlog.dev.ConsoleRenderer(colors=False)
    return structlog.processors.JSONRenderer(ensure_ascii=False)
