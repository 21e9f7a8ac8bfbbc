"""Telling Discord which slash commands exist, only when they changed.

Discord counts every new command against a daily quota, so each start reads what is registered,
compares it with what the code offers and writes only when they differ. Comparing needs no state of
ours and also mends what somebody else changed.
"""

import logging
from typing import Any

import aiohttp
from discord import HTTPException, app_commands
from discord.http import Route

log = logging.getLogger(__name__)

Payload = dict[str, Any]


async def register_commands(tree: app_commands.CommandTree[Any]) -> None:
    """Write the tree's commands when Discord's differ; a failure is logged and the bot goes on."""
    try:
        if await _offered(tree) == await _registered(tree):
            return
        await tree.sync()
    except (HTTPException, aiohttp.ClientError) as error:
        log.warning("Discord did not take the slash commands: %s", error)
    else:
        log.info("The slash commands were registered anew.")


async def _offered(tree: app_commands.CommandTree[Any]) -> list[Payload]:
    translator = tree.translator
    if translator is None:
        raise RuntimeError("the command tree has no translator yet")
    commands = tree.get_commands()
    return _comparable([await c.get_translated_payload(tree, translator) for c in commands])


async def _registered(tree: app_commands.CommandTree[Any]) -> list[Payload]:
    # tree.fetch_commands() leaves the other languages out, so this asks for them itself.
    client = tree.client
    route = Route(
        "GET", "/applications/{application_id}/commands", application_id=client.application_id
    )
    return _comparable(await client.http.request(route, params={"with_localizations": "true"}))


def _comparable(commands: list[Payload]) -> list[Payload]:
    """What people see and type of each command, in one order, Discord's defaults filled in."""
    return sorted(map(_visible, commands), key=lambda one: (one["type"], str(one["name"])))


def _visible(part: Payload) -> Payload:
    permissions = part.get("default_member_permissions")
    return {
        "name": part["name"],
        "description": part.get("description") or "",
        "names": part.get("name_localizations") or {},
        "descriptions": part.get("description_localizations") or {},
        "type": int(part.get("type") or 1),
        "required": bool(part.get("required")),
        "completed": bool(part.get("autocomplete")),
        "length": (part.get("min_length"), part.get("max_length")),
        "range": (part.get("min_value"), part.get("max_value")),
        "permissions": None if permissions is None else str(permissions),
        "choices": [
            (one["name"], one.get("name_localizations") or {}, one["value"])
            for one in part.get("choices") or []
        ],
        "options": [_visible(option) for option in part.get("options") or []],
    }
