"""What the local Discord sends: the shapes that discord.py reads."""

from collections.abc import Iterator
from typing import Any

APPLICATION_ID = "100000000000000001"
GUILD_ID = "200000000000000001"
CHANNEL_ID = "300000000000000001"

BOT = {"id": APPLICATION_ID, "username": "muat", "discriminator": "0", "avatar": None, "bot": True}
SOMEBODY_ELSE = {
    "id": "400000000000000002", "username": "budi", "discriminator": "0", "avatar": None,
}  # fmt: skip
ASKER = {"id": "400000000000000001", "username": "rani", "discriminator": "0", "avatar": None}


def registered_command(command: dict[str, Any], localised: bool) -> dict[str, Any]:
    """A stored command as Discord gives it back: without a false `required`, localised if asked."""
    hidden = set() if localised else {"name_localizations", "description_localizations"}
    kept = {k: v for k, v in command.items() if k not in hidden and (k, v) != ("required", False)}
    if "options" in kept:
        kept["options"] = [registered_command(option, localised) for option in kept["options"]]
    return kept


def interaction_payload(
    interaction: Any,
    data: dict[str, Any],
    locale: str,
    guild_locale: str,
    message: dict[str, Any] | None = None,
    user: dict[str, Any] = ASKER,
) -> dict[str, Any]:
    """INTERACTION_CREATE in a server's channel; `message` is the one with the button pressed."""
    member = {
        "user": user, "roles": [], "joined_at": "2026-11-01T00:00:00+00:00", "deaf": False,
        "mute": False, "flags": 0, "permissions": "0",
    }  # fmt: skip
    channel = {
        "id": CHANNEL_ID, "type": 0, "name": "gpu", "guild_id": GUILD_ID, "parent_id": None,
        "position": 0, "topic": None, "nsfw": False, "flags": 0, "last_message_id": None,
        "rate_limit_per_user": 0, "permissions": "0",
    }  # fmt: skip
    pressed = {} if message is None else {"message": message}
    return {
        **pressed, "id": interaction.id, "application_id": APPLICATION_ID, "type": interaction.kind,
        "token": interaction.token, "version": 1, "data": data, "guild_id": GUILD_ID,
        "guild": {"id": GUILD_ID, "locale": guild_locale, "features": []},
        "channel_id": CHANNEL_ID, "channel": channel,
        "member": member, "locale": locale, "guild_locale": guild_locale,
        "app_permissions": "0", "entitlements": [], "authorizing_integration_owners": {},
        "context": 0, "attachment_size_limit": 10 * 1024 * 1024,
    }  # fmt: skip


def message_payload(number: str, body: dict[str, Any]) -> dict[str, Any]:
    """A message as Discord returns it."""
    return {
        "id": number, "channel_id": CHANNEL_ID, "author": BOT, "type": 20,
        "content": body.get("content") or "", "timestamp": "2026-12-01T00:00:00+00:00",
        "edited_timestamp": None, "tts": False, "mention_everyone": False, "mentions": [],
        "mention_roles": [], "attachments": [], "embeds": [], "pinned": False,
        "components": body.get("components", []), "flags": body.get("flags", 0),
    }  # fmt: skip


def posted_payload(number: str, content: str, author: dict[str, Any]) -> dict[str, Any]:
    """A message that somebody wrote."""
    return {**message_payload(number, {"content": content}), "type": 0, "author": author}


def application_payload() -> dict[str, Any]:
    """The application behind the bot."""
    return {
        "id": APPLICATION_ID, "name": "Muat", "icon": None, "description": "", "bot_public": True,
        "bot_require_code_grant": False, "owner": ASKER, "team": None, "verify_key": "0" * 64,
        "flags": 0,
    }  # fmt: skip


def texts(components: list[dict[str, Any]]) -> list[str]:
    """The text displays in reading order."""
    return [node["content"] for node in nodes(components) if "content" in node]


def nodes(components: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Every component, those inside others included, in reading order."""
    for component in components:
        yield component
        yield from nodes(component.get("components", []))
