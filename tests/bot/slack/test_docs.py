"""docs/slack.md: its manifest is one that Slack takes, and it names what there is."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.cli import run
from bot.commands.registry import all_commands
from bot.language import words
from bot.slack import app
from bot.slack.listeners import SHORTCUT

PAGE = (Path(__file__).parents[3] / "docs" / "slack.md").read_text(encoding="utf-8")


@pytest.fixture
def manifest(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What the command of the page prints."""
    command = re.search(r"\.venv/bin/muat (slack manifest --json)", PAGE)
    assert command
    assert run(command[1].split()) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_manifest_keeps_slacks_limits(manifest: dict[str, Any]) -> None:
    """Lengths from SchemaStore's slack-app-manifest.json, read 2026-12-01."""
    assert len(manifest["display_information"]["name"]) <= 35
    assert len(manifest["display_information"]["description"]) <= 140
    assert len(manifest["features"]["bot_user"]["display_name"]) <= 80
    for command in manifest["features"]["slash_commands"]:
        assert command["command"].startswith("/") and len(command["command"]) <= 32
        assert len(command["description"]) <= 2000 and len(command["usage_hint"]) <= 1000


def test_the_manifest_asks_for_no_more_than_it_uses(manifest: dict[str, Any]) -> None:
    assert set(manifest["oauth_config"]["scopes"]["bot"]) == {
        "app_mentions:read", "chat:write", "commands", "im:history", "im:read", "im:write",
        "users:read",
    }  # fmt: skip
    assert manifest["settings"]["socket_mode_enabled"] is True


def test_the_manifest_offers_the_commands_there_are(manifest: dict[str, Any]) -> None:
    offered = {command["command"] for command in manifest["features"]["slash_commands"]}
    assert offered == {"/muat", *(f"/{name}" for name in all_commands())}
    assert manifest["features"]["shortcuts"][0]["callback_id"] == SHORTCUT


def test_over_http_every_address_is_the_one_given(capsys: pytest.CaptureFixture[str]) -> None:
    address = "https://muat.example.org/slack/events"
    assert run(["slack", "manifest", "--url", address]) == 0
    found = yaml.safe_load(capsys.readouterr().out)
    assert found["settings"]["socket_mode_enabled"] is False
    assert found["settings"]["interactivity"]["request_url"] == address
    assert {one["url"] for one in found["features"]["slash_commands"]} == {address}


def test_the_page_names_every_button_and_command() -> None:
    for button in (
        "change",
        "cheaper",
        "faster",
        "compare",
        "watch",
        "recipe",
        "explain",
        "more",
        "share",
    ):
        assert f"*{words('en').t(f'actions.button_{button}')}*" in PAGE
    for name in all_commands():
        assert f"`/{name}`" in PAGE


def test_every_setting_is_explained() -> None:
    for setting in (
        app.BOT_TOKEN,
        app.APP_TOKEN,
        "MUAT_SLACK_API_URL",
        "MUAT_SLACK_SIGNING_SECRET",
    ):
        assert f"| `{setting}` |" in PAGE
