"""The manifest that makes the app in Slack: commands, events, scopes, the message shortcut."""

import sys
from typing import Any

import yaml

from bot.commands.registry import all_commands
from bot.language import words
from bot.slack.listeners import SHORTCUT

#: What Muat asks Slack for, and why: docs/slack.md says the same.
SCOPES = (
    "app_mentions:read", "chat:write", "commands", "im:history", "im:read", "im:write",
    "users:read",
)  # fmt: skip
EVENTS = ("app_mention", "message.im")
#: What is asked beside that where channels may want questions answered that nobody asks Muat.
UNASKED_SCOPES = ("channels:history", "groups:history")
UNASKED_EVENTS = ("message.channels", "message.groups")


def manifest(events_url: str | None = None, *, unasked: bool = False) -> dict[str, Any]:
    """The manifest's keys; over Socket Mode unless Slack is to post to `events_url`. `unasked` lets
    the app read along in channels it is a member of.
    """
    scopes = [*SCOPES, *(UNASKED_SCOPES if unasked else ())]
    events = [*EVENTS, *(UNASKED_EVENTS if unasked else ())]
    say = words("en")
    address = {"url": events_url} if events_url else {}
    request = {"request_url": events_url} if events_url else {}
    commands = [
        {
            "command": f"/{spec.name}",
            "description": say.t(spec.help_key),
            "usage_hint": say.t(spec.example_key).partition(" ")[2] or " ",
            "should_escape": False,
            **address,
        }
        for spec in all_commands().values()
    ]
    commands.append(
        {
            "command": "/muat",
            "description": say.t("slack.muat_help"),
            "usage_hint": "help | settings language=id here | status",
            "should_escape": False,
            **address,
        }
    )
    return {
        "display_information": {"name": "Muat", "description": say.t("slack.about")},
        "features": {
            "app_home": {"messages_tab_enabled": True, "messages_tab_read_only_enabled": False},
            "bot_user": {"display_name": "muat", "always_online": True},
            "shortcuts": [
                {
                    "name": say.t("slack.shortcut"),
                    "type": "message",
                    "callback_id": SHORTCUT,
                    "description": say.t("slack.shortcut_what"),
                }
            ],
            "slash_commands": commands,
        },
        "oauth_config": {"scopes": {"bot": scopes}},
        "settings": {
            "event_subscriptions": {"bot_events": events, **request},
            "interactivity": {"is_enabled": True, **request},
            "org_deploy_enabled": False,
            "socket_mode_enabled": events_url is None,
            "token_rotation_enabled": False,
        },
    }


def say_manifest(events_url: str | None, unasked: bool, json: bool) -> None:
    """Write the manifest, as YAML or JSON: Slack takes both."""
    if json:
        from bot.machine import write_json

        write_json(manifest(events_url, unasked=unasked))
    else:
        found = manifest(events_url, unasked=unasked)
        sys.stdout.write(yaml.safe_dump(found, sort_keys=False, allow_unicode=True))
