"""`muat doctor`: what is there, what lacks, what is wrong, against the local platforms."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bot.cli import run
from bot.doctor.doctor import diagnose, misspelt
from bot.doctor.finding import Finding
from bot.language import LANGUAGES, words
from bot.store.engine import open_store
from bot.store.workers import LOST_AFTER, show
from tests.standins.discord import DiscordStandIn
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn

#: 32 bytes in base64, made up for this test.
FERNET = "Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm8="
NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)


@pytest.fixture(autouse=True)
def own_folders(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(empty_folder / name))


def by_name() -> dict[str, Finding]:
    return {one.name: one for one in diagnose(NOW).findings}


async def found_beside(server_is_up: Any) -> dict[str, Finding]:
    """What the doctor says while a stand-in runs on this loop."""
    import asyncio

    return await asyncio.to_thread(by_name)


def test_nothing_configured_is_nothing_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "muat catalog refresh" in shown
    found = by_name()
    assert {name: one.state for name, one in found.items()} == {
        "settings": "ok",
        "catalog": "missing",
        "database": "ok",
        "encryption": "missing",
        "worker": "missing",
        "slack": "missing",
        "discord": "missing",
    }


def test_a_mistyped_variable_is_named_with_the_nearest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert misspelt(["MUAT_SLAK_BOT_TOKEN", "MUAT_PORT", "PATH"]) == {
        "MUAT_SLAK_BOT_TOKEN": "MUAT_SLACK_BOT_TOKEN"
    }
    monkeypatch.setenv("MUAT_DISCORD_TOCKEN", "hush-hush-hush")
    assert run(["doctor", "--json"]) == 1
    out = capsys.readouterr().out
    assert "MUAT_DISCORD_TOKEN" in out and "hush" not in out


@pytest.mark.parametrize(
    ("name", "value", "part", "state"),
    [
        ("MUAT_ENCRYPTION_KEY", "too-short-a-key", "encryption", "wrong"),
        ("MUAT_ENCRYPTION_KEY", FERNET, "encryption", "ok"),
        ("MUAT_DATABASE_URL", "mysql://muat:hush@db/muat", "database", "wrong"),
        ("MUAT_PORT", "a port", "settings", "wrong"),
    ],
)
def test_each_setting_is_looked_at(
    name: str,
    value: str,
    part: str,
    state: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(name, value)
    assert run(["doctor", "--json"]) == (1 if state == "wrong" else 0)
    out = capsys.readouterr().out
    found = [one for one in json.loads(out)["findings"] if one["name"] == part]
    assert found[-1]["state"] == state
    assert "hush" not in out and "too-short-a-key" not in out


async def test_slacks_token_and_scopes_are_asked_of_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    async with SlackStandIn() as slack:
        monkeypatch.setenv("MUAT_SLACK_API_URL", slack.api_url)
        monkeypatch.setenv("MUAT_SLACK_BOT_TOKEN", BOT_TOKEN)
        found = await found_beside(slack)
        assert (found["slack"].state, found["slack events"].state) == ("ok", "wrong")
        assert "slack scopes" not in found


async def test_a_missing_scope_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async with SlackStandIn() as slack:
        slack.scopes.discard("users:read")
        monkeypatch.setenv("MUAT_SLACK_API_URL", slack.api_url)
        monkeypatch.setenv("MUAT_SLACK_BOT_TOKEN", BOT_TOKEN)
        monkeypatch.setenv("MUAT_SLACK_APP_TOKEN", APP_TOKEN)
        found = await found_beside(slack)
        assert found["slack scopes"].said.values["scopes"] == ("users:read",)
        assert found["slack events"].state == "ok"


async def test_a_token_slack_refuses_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    async with SlackStandIn() as slack:
        monkeypatch.setenv("MUAT_SLACK_API_URL", slack.api_url)
        monkeypatch.setenv("MUAT_SLACK_BOT_TOKEN", "xoxb-wrong")
        found = await found_beside(slack)
        assert found["slack"].state == "wrong"
        assert found["slack"].said.values["reason"] == "invalid_auth"


async def test_discords_token_is_asked_of_discord(monkeypatch: pytest.MonkeyPatch) -> None:
    async with DiscordStandIn() as server:
        monkeypatch.setenv("MUAT_DISCORD_API_URL", server.api_url)
        monkeypatch.setenv("MUAT_DISCORD_TOKEN", DiscordStandIn.token)
        assert (await found_beside(server))["discord"].state == "ok"
    async with DiscordStandIn() as server:
        monkeypatch.setenv("MUAT_DISCORD_API_URL", server.api_url)
        monkeypatch.setenv("MUAT_DISCORD_TOKEN", "wrong.token.here")
        from bot.settings import deployment

        deployment.cache_clear()
        assert (await found_beside(server))["discord"].state == "wrong"


@pytest.mark.parametrize(
    ("token", "state", "code"),
    [
        (APP_TOKEN, "ok", "doctor.slack_socket"),
        ("xapp-wrong", "wrong", "slack.token_refused"),
        (BOT_TOKEN, "wrong", "slack.token_refused"),
    ],
)
async def test_slacks_app_token_is_asked_of_slack(
    token: str, state: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with SlackStandIn() as slack:
        monkeypatch.setenv("MUAT_SLACK_API_URL", slack.api_url)
        monkeypatch.setenv("MUAT_SLACK_BOT_TOKEN", BOT_TOKEN)
        monkeypatch.setenv("MUAT_SLACK_APP_TOKEN", token)
        found = (await found_beside(slack))["slack events"]
    assert (found.state, found.said.code) == (state, code)
    if state == "wrong":
        assert found.said.values["setting"] == "MUAT_SLACK_APP_TOKEN"


@pytest.mark.parametrize(
    ("application", "reads", "name", "state"),
    [
        ({"flags": 0}, "true", "discord intents", "wrong"),
        ({"flags": 0}, "false", "discord intents", None),
        ({"flags": 1 << 18}, "true", "discord intents", None),
        ({"flags": 1 << 19}, "true", "discord intents", None),
        (
            {"interactions_endpoint_url": "https://muat.example/"},
            "false",
            "discord events",
            "wrong",
        ),
        ({"interactions_endpoint_url": None}, "false", "discord events", None),
        ({"approximate_guild_count": 0}, "false", "discord servers", "missing"),
        ({"approximate_guild_count": 3}, "false", "discord servers", None),
    ],
)
async def test_what_discords_application_lacks_is_named(
    application: dict[str, Any],
    reads: str,
    name: str,
    state: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with DiscordStandIn() as server:
        server.application = application
        monkeypatch.setenv("MUAT_DISCORD_API_URL", server.api_url)
        monkeypatch.setenv("MUAT_DISCORD_TOKEN", DiscordStandIn.token)
        monkeypatch.setenv("MUAT_DISCORD_READS_MESSAGES", reads)
        found = await found_beside(server)
    assert found["discord"].state == "ok"
    assert (found[name].state if name in found else None) == state


def test_a_worker_that_shows_itself_is_seen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'team.sqlite'}"
    monkeypatch.setenv("MUAT_DATABASE_URL", url)
    assert by_name()["worker"].state == "missing"
    show(open_store(url), "one", NOW)
    assert by_name()["worker"].said.values["moment"] == "2026-12-01 09:00 UTC"
    show(open_store(url), "one", NOW - LOST_AFTER)
    assert by_name()["worker"].state == "missing"


def test_a_platform_that_cannot_be_reached_is_not_called_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MUAT_SLACK_API_URL", "http://127.0.0.1:9/api/")
    monkeypatch.setenv("MUAT_SLACK_BOT_TOKEN", BOT_TOKEN)
    monkeypatch.setenv("MUAT_SLACK_APP_TOKEN", APP_TOKEN)
    found = by_name()
    assert found["slack"].state == "unknown"
    assert found["slack"].said.code == "doctor.not_asked"


def test_it_speaks_both_languages_and_keeps_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    said = {words(language).say(by_name()["catalog"].said) for language in LANGUAGES}
    assert len(said) == 2
    assert run(["schema", "doctor"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert run(["doctor", "--json"]) == 0
    jsonschema.validate(json.loads(capsys.readouterr().out), schema)
