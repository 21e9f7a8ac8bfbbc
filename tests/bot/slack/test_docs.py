"""docs/slack.md: the manifest is one that Slack takes, and names the commands there are."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bot.commands.registry import all_commands
from bot.slack import app

PAGE = (Path(__file__).parents[3] / "docs" / "slack.md").read_text(encoding="utf-8")


@pytest.fixture
def manifest() -> dict[str, Any]:
    block = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert block
    found: dict[str, Any] = json.loads(block[1])
    return found


def test_the_manifest_keeps_slacks_limits(manifest: dict[str, Any]) -> None:
    """Lengths from SchemaStore's slack-app-manifest.json, read 2026-12-01."""
    assert len(manifest["display_information"]["name"]) <= 35
    assert len(manifest["display_information"]["description"]) <= 140
    assert len(manifest["features"]["bot_user"]["display_name"]) <= 80
    for command in manifest["features"]["slash_commands"]:
        assert command["command"].startswith("/") and len(command["command"]) <= 32
        assert len(command["description"]) <= 2000 and len(command["usage_hint"]) <= 1000


def test_the_manifest_asks_for_three_scopes_and_socket_mode(manifest: dict[str, Any]) -> None:
    assert manifest["oauth_config"]["scopes"] == {"bot": ["commands", "chat:write", "users:read"]}
    assert manifest["settings"]["socket_mode_enabled"] is True


def test_the_manifest_offers_the_commands_there_are(manifest: dict[str, Any]) -> None:
    offered = {command["command"] for command in manifest["features"]["slash_commands"]}
    assert offered == {f"/{name}" for name in all_commands() if name != "help"}


def test_every_setting_is_explained() -> None:
    for setting in (app.BOT_TOKEN, app.APP_TOKEN, "MUAT_SLACK_API_URL"):
        assert f"| `{setting}` |" in PAGE
