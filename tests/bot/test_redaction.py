"""D131: neither tokens nor response URLs nor socket tickets reach the log."""

import io
import logging

import pytest

from bot.redaction import RedactSecrets, keep_secret, redact, redact_all_logs

BOT = "xoxb-1234567890-0987654321-abcDEF123"
ROTATING = "xoxe.xoxb-1-Mi0yLTEyMzQ1"
APP = "xapp-1-A0123-4567-deadbeef"
RESPONSE_URL = "https://hooks.slack.com/commands/T0001/1234567890/SecretPart"
SOCKET = "wss://wss-primary.slack.com/link/?ticket=12348&app_id=5678"
DISCORD = "MTAwMDAwMDAwMDAwMDAwMDAx.Gabcde." + "y" * 38
FERNET = "Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm8="
DATABASE = "postgresql://muat:hush-hush@db.example.org/muat"
SECRETS = (BOT, ROTATING, APP, RESPONSE_URL, SOCKET)


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_loses_what_makes_it_one(secret: str) -> None:
    shown = redact(f"sent to '{secret}' again")
    assert shown.startswith("sent to '") and shown.endswith("' again")
    assert secret[-8:] not in shown and "…" in shown


def test_ordinary_text_and_addresses_stay() -> None:
    text = "see https://docs.slack.dev/apis/web-api and xoxo"
    assert redact(text) == text


def test_a_record_and_its_traceback_are_cleaned() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(RedactSecrets())
    logger = logging.getLogger("test_redact")
    logger.addHandler(handler)
    try:
        raise ConnectionError(f"cannot reach {RESPONSE_URL} with {BOT}")
    except ConnectionError:
        logger.exception("posting to %s failed for %s", RESPONSE_URL, APP)
    finally:
        logger.removeHandler(handler)
    written = stream.getvalue()
    assert "ConnectionError: cannot reach https://hooks.slack.com/commands/…" in written
    assert not [secret for secret in SECRETS if secret in written]


def test_every_root_handler_is_cleaned_once() -> None:
    handler = logging.StreamHandler(io.StringIO())
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        redact_all_logs()
        redact_all_logs()
    finally:
        root.removeHandler(handler)
    assert [type(each) for each in handler.filters] == [RedactSecrets]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"logging in with {DISCORD}", DISCORD),
        (f"the key is {FERNET}.", FERNET),
        (f"cannot reach {DATABASE}", "hush-hush"),
        ("Authorization: Bearer abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz"),
        ("{'Authorization': 'Bot abcdefghijklmnopqrstuvwxyz'}", "abcdefghijklmnopqrstuvwxyz"),
    ],
)
def test_every_kind_of_secret_is_kept_out(text: str, secret: str) -> None:
    assert secret not in redact(text)
    assert "…" in redact(text)


def test_a_setting_that_no_pattern_tells_is_kept_out_by_its_value() -> None:
    secret = "a-signing-secret-of-this-test"
    assert secret in redact(f"signed with {secret}")
    keep_secret(secret, None, "short")
    assert secret not in redact(f"signed with {secret}")
    assert redact("short") == "short"


def test_fields_beside_the_message_are_cleaned_too() -> None:
    record = logging.makeLogRecord({"msg": "posted", "args": (), "url": RESPONSE_URL})
    RedactSecrets().filter(record)
    assert RESPONSE_URL not in str(vars(record))
