"""Keeps Slack's secrets out of the log: tokens, response URLs and Socket Mode tickets."""

import logging
import re

_SECRETS = (
    (re.compile(r"\b(xox[a-z](?:\.xox[a-z])?|xapp|xoxe)-[\w-]+"), r"\1-…"),
    (re.compile(r"\b(wss?://[^/\s'\"]+)[^\s'\"]*"), r"\1/…"),
    (
        re.compile(r"\b(https?://[^/\s'\"]+/(?:commands|actions|services|workflows))/[^\s'\"]*"),
        r"\1/…",
    ),
)


def redact(text: str) -> str:
    """`text` with every token, response URL and socket ticket cut down to what names its kind."""
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text


def redact_all_logs() -> None:
    """Cleans what the root logger's handlers write, and Python's own where there are none."""
    for handler in (*logging.getLogger().handlers, logging.lastResort):
        if handler and not any(isinstance(f, RedactSecrets) for f in handler.filters):
            handler.addFilter(RedactSecrets())


class RedactSecrets(logging.Filter):
    """For handlers: rewrites a record, its traceback included, before it is written."""

    _formatter = logging.Formatter()

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = redact(record.getMessage()), None
        if record.exc_info:
            record.exc_text = redact(
                record.exc_text or self._formatter.formatException(record.exc_info)
            )
        return True
