"""What people do in the stand-in's workspace beside typing commands."""

import json
from typing import Any

from tests.standins.slack import SlackStandIn, SlashCommand, escaped


def buttons(message: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The buttons of a message, by what they do."""
    blocks = message["blocks"]
    blocks = json.loads(blocks) if isinstance(blocks, str) else blocks
    return {
        element["action_id"].removeprefix("muat:"): element
        for block in blocks
        if block["type"] == "actions"
        for element in block["elements"]
    }


async def press(
    slack: SlackStandIn, message: dict[str, Any], action: str, user: str = "U1"
) -> SlashCommand:
    """Somebody presses a button of a message."""
    button = buttons(message)[action]
    return await slack.send(
        "interactive",
        lambda sent, number: {
            "type": "block_actions",
            "user": {"id": user, "username": "rani", "team_id": "T1"},
            "team": {"id": "T1", "domain": "standin"},
            "channel": {"id": "C1", "name": "general"},
            "api_app_id": "A100",
            "token": "verification",
            "container": {"type": "message", "is_ephemeral": True},
            "trigger_id": f"{number}.100.trigger",
            "response_url": sent.response_url,
            "actions": [{**button, "block_id": "muat-actions", "action_ts": "1"}],
        },
    )


async def submit(
    slack: SlackStandIn, view: dict[str, Any], user: str = "U1", **written: str
) -> SlashCommand:
    """Somebody sends a form with `written` in these fields, the others as they were opened."""
    values = {
        block["block_id"]: {
            block["element"]["action_id"]: _filled_in(
                block["element"], written.get(block["block_id"])
            )
        }
        for block in view["blocks"]
    }
    return await slack.send(
        "interactive",
        lambda sent, number: {
            "type": "view_submission",
            "user": {"id": user, "username": "rani", "team_id": "T1"},
            "team": {"id": "T1", "domain": "standin"},
            "api_app_id": "A100",
            "token": "verification",
            "trigger_id": f"{number}.100.trigger",
            "view": {"id": "V1", **view, "state": {"values": values}},
        },
    )


async def use_shortcut(slack: SlackStandIn, text: str, user: str = "U1") -> SlashCommand:
    """Somebody asks "Will this fit?" under a message."""
    return await slack.send(
        "interactive",
        lambda sent, number: {
            "type": "message_action",
            "callback_id": "muat_will_it_fit",
            "user": {"id": user, "username": "rani", "team_id": "T1"},
            "team": {"id": "T1", "domain": "standin"},
            "channel": {"id": "C1", "name": "general"},
            "api_app_id": "A100",
            "token": "verification",
            "trigger_id": f"{number}.100.trigger",
            "response_url": sent.response_url,
            "message": {"type": "message", "user": "U9", "ts": "1.1", "text": escaped(text)},
        },
    )


async def speak(
    slack: SlackStandIn,
    text: str,
    user: str = "U1",
    channel: str = "C1",
    event_id: str = "Ev1",
    mentions: bool = True,
    **event: Any,
) -> SlashCommand:
    """Somebody mentions the bot in a channel, or not, or writes to it alone ("D1")."""
    direct = channel == "D1"
    kind = {"type": "app_mention"}
    if direct or not mentions:
        kind = {"type": "message", "channel_type": "im" if direct else "channel"}
    said = f"<@UBOT> {escaped(text)}" if mentions and not direct else escaped(text)
    return await slack.send(
        "events_api",
        lambda sent, number: {
            "token": "verification",
            "team_id": "T1",
            "api_app_id": "A100",
            "type": "event_callback",
            "event_id": event_id,
            "event_time": 1796083200,
            "event": {
                **kind,
                "user": user,
                "text": said,
                "channel": channel,
                "ts": "1796083200.000100",
                **event,
            },
        },
    )


def _filled_in(element: dict[str, Any], value: str | None) -> dict[str, Any]:
    """What a field holds when a form comes back; an empty one holds null."""
    if element["type"] == "static_select":
        chosen = element.get("initial_option")
        if value is not None:
            chosen = next(one for one in element["options"] if one["value"] == value)
        return {"type": element["type"], "selected_option": chosen}
    text = element.get("initial_value") if value is None else value
    return {"type": element["type"], "value": text or None}
