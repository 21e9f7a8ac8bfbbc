"""Keeps secrets out of the log, whoever writes it: tokens of Slack and Discord, response URLs,
Socket Mode tickets, authorization headers, passwords of databases, and the values of settings.
"""

import logging
import re

_SECRETS = (
    (re.compile(r"\b(xox[a-z](?:\.xox[a-z])?|xapp|xoxe)-[\w-]+"), r"\1-…"),
    (re.compile(r"\b(wss?://[^/\s'\"]+)[^\s'\"]*"), r"\1/…"),
    (
        re.compile(r"\b(https?://[^/\s'\"]+/(?:commands|actions|services|workflows))/[^\s'\"]*"),
        r"\1/…",
    ),
    (
        re.compile(
            r"(?i)\b(authorization['\"]?\s*[:=]\s*['\"]?(?:bearer|bot|basic)?\s*)[^\s'\",}]+"
        ),
        r"\1…",
    ),
    (re.compile(r"(?i)\b(bearer|bot)\s+[\w.=-]{20,}"), r"\1 …"),
    # A Discord token: an id in base64, a time, a signature.
    (re.compile(r"\b[MNO][\w-]{22,28}\.[\w-]{6}\.[\w-]{27,45}"), "…"),
    (re.compile(r"\b(\w+(?:\+\w+)?://[^:/@\s'\"]+):[^@\s'\"]+@"), r"\1:…@"),
    # A Fernet key: 32 bytes in base64.
    (re.compile(r"(?<![\w-])[\w-]{43}=(?![\w=])"), "…"),
)
#: Values that no pattern tells, such as a signing secret: those of this process's own settings.
_OWN: set[str] = set()
_SHORTEST = 8


def keep_secret(*values: str | None) -> None:
    """Never let these values into the log."""
    _OWN.update(value for value in values if value and len(value) >= _SHORTEST)


def redact(text: str) -> str:
    """`text` with every token, response URL and socket ticket cut down to what names its kind."""
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    for value in _OWN:
        text = text.replace(value, "…")
    return text


def redact_all_logs() -> None:
    """Cleans what the root logger's handlers write, and Python's own where there are none."""
    for handler in (*logging.getLogger().handlers, logging.lastResort):
        if handler and not any(isinstance(f, RedactSecrets) for f in handler.filters):
            handler.addFilter(RedactSecrets())


_OF_THE_RECORD = frozenset(vars(logging.makeLogRecord({})))


class RedactSecrets(logging.Filter):
    """For handlers: rewrites a record, its traceback included, before it is written."""

    _formatter = logging.Formatter()

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = redact(record.getMessage()), None
        for name, value in vars(record).items():
            if isinstance(value, str) and name not in _OF_THE_RECORD:
                setattr(record, name, redact(value))
        if record.exc_info:
            record.exc_text = redact(
                record.exc_text or self._formatter.formatException(record.exc_info)
            )
        return True
