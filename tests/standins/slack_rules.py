"""What Slack accepts as a message, stated here a second time and on its own.

Nothing of bot/ is imported: a limit that Muat has wrong must fail here. Block types and keys that
are not listed are refused, so a template that starts to use one has to add its rules first.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

MOST_BLOCKS = 50
MOST_BLOCK_CHARACTERS = 13_200
MOST_TEXT_CHARACTERS = 40_000
TEXT_OBJECT = 3000
HEADER = 150
FIELDS, FIELD = 10, 2000
CONTEXT_ELEMENTS = 10
BLOCK_ID = 255
PING = re.compile(r"<(?:![^>]*|@[^>]*)>")


class Refused(Exception):
    """Slack's error name, and where in the message the fault lies."""

    def __init__(self, error: str, where: str = "") -> None:
        super().__init__(f"{error} {where}".strip())
        self.error = error
        self.where = where


def check_message(message: Any) -> None:
    """Raises Refused where Slack would not post `message`."""
    if not isinstance(message, dict):
        raise Refused("json_not_object")
    text = message.get("text")
    if not isinstance(text, str) or not text:
        raise Refused("no_text", "/text")
    if len(text) > MOST_TEXT_CHARACTERS:
        raise Refused("msg_too_long", "/text")
    if message.get("response_type", "ephemeral") not in ("ephemeral", "in_channel"):
        raise Refused("invalid_arguments", "/response_type")
    if "blocks" in message:
        _check_blocks(message["blocks"])


def check_input(block: dict[str, Any]) -> None:
    """Raises Refused where Slack would not open a form with this field."""
    element = block.get("element", {})
    label, hint = block.get("label", {}).get("text", ""), block.get("hint", {}).get("text", "")
    if block.get("type") != "input" or not 1 <= len(label) <= 2000 or len(hint) > 2000:
        raise Refused("invalid_arguments", "input")
    if element.get("type") == "static_select":
        options = element["options"]
        known = not 1 <= len(options) <= 100 or any(
            not 1 <= len(one["text"]["text"]) <= 75 or not 1 <= len(one["value"]) <= 150
            for one in options
        )
        if known or element.get("initial_option", options[0]) not in options:
            raise Refused("invalid_arguments", "options")
    elif element.get("type") == "plain_text_input":
        if not len(element.get("initial_value", "")) <= element.get("max_length", 3000) <= 3000:
            raise Refused("invalid_arguments", "initial_value")
    else:
        raise Refused("invalid_arguments", "element")


def pings(message: dict[str, Any]) -> list[str]:
    """Every mention of people, groups or the channel that this message would set off."""
    found = PING.findall(str(message.get("text", "")))
    for node in _nodes(message.get("blocks", [])):
        if node.get("type") == "mrkdwn":
            found += PING.findall(str(node.get("text", "")))
        elif node.get("type") in ("broadcast", "user", "usergroup"):
            found.append(json.dumps(node))
    return found


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _nodes(item)


def _check_blocks(blocks: Any) -> None:
    if isinstance(blocks, str):
        try:
            blocks = json.loads(blocks)
        except json.JSONDecodeError:
            raise Refused("invalid_blocks_format", "/blocks") from None
    if not isinstance(blocks, list):
        raise Refused("invalid_blocks_format", "/blocks")
    if not 1 <= len(blocks) <= MOST_BLOCKS:
        raise Refused("invalid_blocks", f"/blocks: {len(blocks)} of them")
    for index, block in enumerate(blocks):
        where = f"/blocks/{index}"
        kind = block.get("type") if isinstance(block, dict) else None
        if kind not in BLOCKS:
            raise Refused("invalid_blocks", f"{where}/type: unsupported type {kind!r}")
        BLOCKS[kind](block, where)
    if len(json.dumps(blocks, ensure_ascii=False)) > MOST_BLOCK_CHARACTERS:
        raise Refused("msg_blocks_too_long", "/blocks")


def _keys(node: Any, where: str, *, needed: set[str], allowed: frozenset[str] | set[str]) -> None:
    if not isinstance(node, dict):
        raise Refused("invalid_blocks", f"{where}: not an object")
    if missing := needed - node.keys():
        raise Refused("invalid_blocks", f"{where}: missing {sorted(missing)}")
    if unknown := node.keys() - needed - allowed:
        raise Refused("invalid_blocks", f"{where}: unknown {sorted(unknown)}")


def _text(node: Any, where: str, *, most: int, kinds: tuple[str, ...]) -> None:
    _keys(node, where, needed={"type", "text"}, allowed={"emoji", "verbatim"})
    if node["type"] not in kinds:
        raise Refused("invalid_blocks", f"{where}/type: {node['type']!r} instead of {kinds}")
    foreign = "verbatim" if node["type"] == "plain_text" else "emoji"
    if foreign in node:
        raise Refused("invalid_blocks", f"{where}/{foreign}")
    _length(node["text"], f"{where}/text", most)


def _length(text: Any, where: str, most: int) -> None:
    if not isinstance(text, str) or not 1 <= len(text) <= most:
        size = len(text) if isinstance(text, str) else text
        raise Refused("invalid_blocks", f"{where}: 1 to {most} characters, not {size}")


def _several(items: Any, where: str, most: int) -> list[Any]:
    if not isinstance(items, list) or not 1 <= len(items) <= most:
        raise Refused("invalid_blocks", f"{where}: 1 to {most} items")
    return items


def _block_id(block: dict[str, Any], where: str) -> None:
    if "block_id" in block:
        _length(block["block_id"], f"{where}/block_id", BLOCK_ID)


def _divider(block: dict[str, Any], where: str) -> None:
    _keys(block, where, needed={"type"}, allowed={"block_id"})
    _block_id(block, where)


def _header(block: dict[str, Any], where: str) -> None:
    _keys(block, where, needed={"type", "text"}, allowed={"block_id"})
    _block_id(block, where)
    _text(block["text"], f"{where}/text", most=HEADER, kinds=("plain_text",))


def _section(block: dict[str, Any], where: str) -> None:
    _keys(block, where, needed={"type"}, allowed={"block_id", "text", "fields", "expand"})
    _block_id(block, where)
    if "text" not in block and "fields" not in block:
        raise Refused("invalid_blocks", f"{where}: neither text nor fields")
    kinds = ("plain_text", "mrkdwn")
    if "text" in block:
        _text(block["text"], f"{where}/text", most=TEXT_OBJECT, kinds=kinds)
    if "fields" in block:
        for index, field in enumerate(_several(block["fields"], f"{where}/fields", FIELDS)):
            _text(field, f"{where}/fields/{index}", most=FIELD, kinds=kinds)


def _context(block: dict[str, Any], where: str) -> None:
    _keys(block, where, needed={"type", "elements"}, allowed={"block_id"})
    _block_id(block, where)
    elements = _several(block["elements"], f"{where}/elements", CONTEXT_ELEMENTS)
    for index, element in enumerate(elements):
        kinds = ("plain_text", "mrkdwn")
        _text(element, f"{where}/elements/{index}", most=TEXT_OBJECT, kinds=kinds)


def _actions(block: dict[str, Any], where: str) -> None:
    _keys(block, where, needed={"type", "elements"}, allowed={"block_id"})
    _block_id(block, where)
    names = set()
    for index, element in enumerate(_several(block["elements"], f"{where}/elements", 25)):
        here = f"{where}/elements/{index}"
        allowed = {"value", "style", "url", "confirm", "accessibility_label"}
        _keys(element, here, needed={"type", "text", "action_id"}, allowed=allowed)
        if element["type"] != "button":
            raise Refused("invalid_blocks", f"{here}/type: unsupported type {element['type']!r}")
        _text(element["text"], f"{here}/text", most=75, kinds=("plain_text",))
        _length(element["action_id"], f"{here}/action_id", 255)
        _length(element.get("value", "-"), f"{here}/value", 2000)
        if element.get("style", "primary") not in ("primary", "danger"):
            raise Refused("invalid_blocks", f"{here}/style")
        names.add(element["action_id"])
    if len(names) != len(block["elements"]):
        raise Refused("invalid_blocks", f"{where}: the same action_id twice")


def _rich_text(block: dict[str, Any], where: str) -> None:
    _keys(block, where, needed={"type", "elements"}, allowed={"block_id"})
    _block_id(block, where)
    for index, part in enumerate(_several(block["elements"], f"{where}/elements", 1000)):
        here = f"{where}/elements/{index}"
        _keys(part, here, needed={"type", "elements"}, allowed={"border"})
        if part["type"] not in ("rich_text_section", "rich_text_preformatted", "rich_text_quote"):
            raise Refused("invalid_blocks", f"{here}/type: unsupported type {part['type']!r}")
        for number, run in enumerate(_several(part["elements"], f"{here}/elements", 1000)):
            spot = f"{here}/elements/{number}"
            _keys(run, spot, needed={"type", "text"}, allowed={"style"})
            if run["type"] != "text":
                raise Refused("invalid_blocks", f"{spot}/type: unsupported type {run['type']!r}")
            _length(run["text"], f"{spot}/text", TEXT_OBJECT)


BLOCKS: dict[str, Callable[[dict[str, Any], str], None]] = {
    "context": _context,
    "divider": _divider,
    "header": _header,
    "actions": _actions,
    "rich_text": _rich_text,
    "section": _section,
}
