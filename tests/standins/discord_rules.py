"""What Discord accepts in messages and commands, and the errors it answers with otherwise.

Written from Discord's public documentation and API specification (looked up 2026-12-01), on purpose
without bot/limits.py: two readings that agree are worth more than one that is used twice.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

EPHEMERAL = 1 << 6
SUPPRESS_EMBEDS = 1 << 2
COMPONENTS_V2 = 1 << 15

ACTION_ROW, BUTTON, SECTION, TEXT, THUMBNAIL, FILE, SEPARATOR, CONTAINER = (
    1,
    2,
    9,
    10,
    11,
    13,
    14,
    17,
)
LEGACY_FIELDS = ("content", "embeds", "poll", "sticker_ids")
MESSAGE_FIELDS = {
    "allowed_mentions", "attachments", "components", "content", "embeds", "enforce_nonce", "flags",
    "message_reference", "nonce", "poll", "tts",
}  # fmt: skip
TOP_LEVEL_V2 = {ACTION_ROW, SECTION, TEXT, FILE, SEPARATOR, CONTAINER}
TEXT_INPUT, LABEL = 4, 18
MOST_BYTES = 10 * 1024 * 1024
LOCALES = {
    "id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr", "hr", "it", "lt", "hu", "nl", "no",
    "pl", "pt-BR", "ro", "fi", "sv-SE", "vi", "tr", "cs", "el", "bg", "ru", "uk", "hi", "th",
    "zh-CN", "ja", "zh-TW", "ko",
}  # fmt: skip
MESSAGE_COMMAND = 3
NAME = re.compile(r"[-_'\w]{1,32}")


class Refused(Exception):
    """Discord's answer to a request it does not take."""

    def __init__(self, status: int, code: int, message: str, detail: str = "") -> None:
        super().__init__(f"{status} {code} {message} {detail}".strip())
        self.status, self.code, self.message, self.detail = status, code, message, detail


def invalid(where: str, why: str) -> Refused:
    """The error for a body whose form is wrong."""
    return Refused(400, 50035, "Invalid Form Body", f"{where}: {why}")


def check_message(
    message: dict[str, Any], allowed_flags: int, files: Mapping[str, bytes] | None = None
) -> None:
    """Refuse what Discord refuses in a message with `files`; it may set `allowed_flags`."""
    _check_files(message, files or {})
    _known(message, MESSAGE_FIELDS, "message")
    flags = message.get("flags", 0)
    if flags & ~allowed_flags:
        raise invalid("flags", f"{flags:#x} cannot be set here")
    mentions = (message.get("allowed_mentions") or {}).get("parse", [])
    if set(mentions) - {"users", "roles", "everyone"}:
        raise invalid("allowed_mentions.parse", "unknown kind")
    components = message.get("components") or []
    if flags & COMPONENTS_V2:
        used = [field for field in LEGACY_FIELDS if message.get(field)]
        if used:
            raise invalid(used[0], "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2")
        _check_components_v2(components)
    else:
        _check_legacy(message, components)


def _check_files(message: dict[str, Any], files: Mapping[str, bytes]) -> None:
    if len(files) > 10 or any(len(content) > MOST_BYTES for content in files.values()):
        raise Refused(413, 40005, "Request entity too large")
    shown = {
        node["file"]["url"].removeprefix("attachment://")
        for node in message.get("components") or []
        if node.get("type") == FILE
    }
    if shown - set(files):
        raise invalid("components", "a file that is not attached")


def _check_legacy(message: dict[str, Any], components: list[dict[str, Any]]) -> None:
    content = message.get("content") or ""
    if len(content) > 2000:
        raise invalid("content", "BASE_TYPE_MAX_LENGTH 2000")
    if any(component.get("type") != ACTION_ROW for component in components):
        raise invalid("components", "without the flag IS_COMPONENTS_V2 only action rows")
    if not (content.strip() or message.get("embeds") or components):
        raise Refused(400, 50006, "Cannot send an empty message")


def _check_components_v2(components: list[dict[str, Any]]) -> None:
    if not components:
        raise Refused(400, 50006, "Cannot send an empty message")
    for component in components:
        if component.get("type") not in TOP_LEVEL_V2:
            raise invalid("components", f"type {component.get('type')} is not allowed at the top")
    nodes = [node for component in components for node in _walk(component)]
    if len(nodes) > 40:
        raise invalid("components", f"{len(nodes)} of 40 components")
    text = sum(len(node["content"]) for node in nodes if node["type"] == TEXT)
    if text > 4000:
        raise invalid("components", f"{text} of 4000 characters of text")
    ids = [node["custom_id"] for node in nodes if "custom_id" in node]
    if len(ids) != len(set(ids)):
        raise invalid("custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED")


def _walk(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """`node` and everything in it, each checked on the way."""
    checks = {
        ACTION_ROW: _check_action_row,
        BUTTON: _check_button,
        SECTION: _check_section,
        TEXT: _check_text,
        THUMBNAIL: _check_thumbnail,
        SEPARATOR: _check_separator,
        FILE: _check_file,
        CONTAINER: _check_container,
    }
    check = checks.get(node.get("type", 0))
    if check is None:
        raise invalid("components", f"unknown type {node.get('type')}")
    check(node)
    yield node
    for child in node.get("components", []):
        yield from _walk(child)
    if "accessory" in node:
        yield from _walk(node["accessory"])


def _check_text(node: dict[str, Any]) -> None:
    _known(node, {"type", "id", "content"}, "text display")
    if not 1 <= len(node.get("content", "").strip()) <= 4000:
        raise invalid("content", "BASE_TYPE_BAD_LENGTH 1 to 4000")


def _check_file(node: dict[str, Any]) -> None:
    if not node.get("file", {}).get("url", "").startswith("attachment://"):
        raise invalid("file", "attachment://…")


def _check_separator(node: dict[str, Any]) -> None:
    _known(node, {"type", "id", "divider", "spacing"}, "separator")
    if node.get("spacing", 1) not in (1, 2):
        raise invalid("spacing", "1 or 2")


def _check_container(node: dict[str, Any]) -> None:
    _known(node, {"type", "id", "components", "accent_color", "spoiler"}, "container")
    if not node.get("components"):
        raise invalid("components", "an empty container")
    if not 0 <= (node.get("accent_color") or 0) <= 0xFFFFFF:
        raise invalid("accent_color", "0 to 0xFFFFFF")
    if any(child.get("type") == CONTAINER for child in node["components"]):
        raise invalid("components", "a container in a container")


def _check_section(node: dict[str, Any]) -> None:
    _known(node, {"type", "id", "components", "accessory"}, "section")
    texts = node.get("components", [])
    if not 1 <= len(texts) <= 3 or any(child.get("type") != TEXT for child in texts):
        raise invalid("components", "a section holds 1 to 3 texts")
    if node.get("accessory", {}).get("type") not in (BUTTON, THUMBNAIL):
        raise invalid("accessory", "BASE_TYPE_REQUIRED")


def _check_thumbnail(node: dict[str, Any]) -> None:
    if not node.get("media", {}).get("url"):
        raise invalid("media", "BASE_TYPE_REQUIRED")


def _check_action_row(node: dict[str, Any]) -> None:
    children = node.get("components", [])
    if not 1 <= len(children) <= 5 or any(child.get("type") != BUTTON for child in children):
        raise invalid("components", "an action row holds 1 to 5 buttons")


def _check_button(node: dict[str, Any]) -> None:
    link = node.get("style") == 5
    if link and not 1 <= len(node.get("url", "")) <= 512:
        raise invalid("url", "1 to 512")
    if not link and not 1 <= len(node.get("custom_id", "")) <= 100:
        raise invalid("custom_id", "1 to 100")
    if len(node.get("label", "")) > 80:
        raise invalid("label", "80")


def _known(node: dict[str, Any], fields: set[str], where: str) -> None:
    unknown = sorted(set(node) - fields)
    if unknown:
        raise invalid(where, f"unknown field {unknown[0]}")


def check_commands(commands: list[dict[str, Any]]) -> None:
    """Refuse what Discord refuses when the whole set of slash commands is written."""
    of_messages = [command for command in commands if command.get("type", 1) == MESSAGE_COMMAND]
    slash = [command for command in commands if command not in of_messages]
    if len(slash) > 100 or len(of_messages) > 15:
        raise Refused(400, 30032, "Maximum number of application commands reached (100)")
    for shown_as in ("", *LOCALES):
        names = [_shown_name(command, shown_as) for command in slash]
        if len(names) != len(set(names)):
            raise invalid("name", "APPLICATION_COMMANDS_DUPLICATE_NAME")
    for command in of_messages:
        if not 1 <= len(command["name"]) <= 32 or command.get("description"):
            raise invalid("name", "a message command has a name of 1 to 32 and no description")
    for command in slash:
        _check_command(command)


def _shown_name(command: dict[str, Any], locale: str) -> str:
    name = str(command.get("name", ""))
    return str((command.get("name_localizations") or {}).get(locale, name))


def _check_command(command: dict[str, Any]) -> None:
    _check_names(command)
    options = command.get("options", [])
    if len(options) > 25:
        raise invalid("options", "25")
    for option in options:
        _check_names(option)
        _check_option(option)
    required = [bool(option.get("required")) for option in options]
    if required != sorted(required, reverse=True):
        raise invalid("options", "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID")
    if _length(command) + sum(_length(option) for option in options) > 8000:
        raise invalid("command", "8000 characters in all")


def _check_option(option: dict[str, Any]) -> None:
    choices = option.get("choices") or []
    if choices and option.get("autocomplete"):
        raise invalid("choices", "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES")
    check_choices({"choices": choices})
    for inner in option.get("options") or []:
        _check_names(inner)
        _check_option(inner)


def check_choices(data: dict[str, Any]) -> None:
    """Refuse what Discord refuses among the choices of an option."""
    choices = data.get("choices", [])
    if len(choices) > 25:
        raise invalid("choices", "BASE_TYPE_MAX_LENGTH 25")
    for choice in choices:
        if not 1 <= len(choice["name"]) <= 100 or not 1 <= len(str(choice["value"])) <= 100:
            raise invalid("choices", "BASE_TYPE_BAD_LENGTH 1 to 100")


def check_modal(modal: dict[str, Any]) -> None:
    """Refuse what Discord refuses in a form."""
    if not 1 <= len(modal.get("title", "")) <= 45:
        raise invalid("title", "1 to 45")
    if not 1 <= len(modal.get("custom_id", "")) <= 100:
        raise invalid("custom_id", "1 to 100")
    if not 1 <= len(modal.get("components", [])) <= 5:
        raise invalid("components", "1 to 5")
    for label in modal["components"]:
        field = label.get("component", {})
        if label.get("type") != LABEL or field.get("type") not in (TEXT_INPUT, 3):
            raise invalid("components", "a label with a field")
        if not 1 <= len(label["label"]) <= 45 or len(label.get("description") or "") > 100:
            raise invalid("label", "1 to 45, its description up to 100")
        if len(field.get("value") or "") > field.get("max_length", 4000):
            raise invalid("value", "longer than max_length")
        if field["type"] == 3:
            _check_options(field.get("options", []))


def _check_options(options: list[dict[str, Any]]) -> None:
    if not 1 <= len(options) <= 25 or sum(bool(one.get("default")) for one in options) > 1:
        raise invalid("options", "1 to 25, one of them chosen")
    for one in options:
        if not 1 <= len(one["label"]) <= 100 or not 1 <= len(one["value"]) <= 100:
            raise invalid("options", "BASE_TYPE_BAD_LENGTH 1 to 100")


def _check_names(part: dict[str, Any]) -> None:
    for name in (part.get("name", ""), *(part.get("name_localizations") or {}).values()):
        if not NAME.fullmatch(unicodedata.normalize("NFC", name)) or name != name.lower():
            raise invalid("name", f"APPLICATION_COMMAND_INVALID_NAME {name!r}")
    descriptions = (part.get("description_localizations") or {}).values()
    for description in (part.get("description", ""), *descriptions):
        if not 1 <= len(description) <= 100:
            raise invalid("description", "BASE_TYPE_BAD_LENGTH 1 to 100")
    for words in ("name_localizations", "description_localizations"):
        if set(part.get(words) or {}) - LOCALES:
            raise invalid(words, "unknown locale")


def _length(part: dict[str, Any]) -> int:
    def longest(field: str) -> int:
        texts = (part.get(field, ""), *(part.get(f"{field}_localizations") or {}).values())
        return max(len(text) for text in texts)

    return longest("name") + longest("description")
