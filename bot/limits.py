"""What each platform accepts (bot/data/chat_limits.csv), and the check of a payload against it.

Lengths are counted in UTF-16 units, the larger of the two countings the platforms could use.
"""

import csv
import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, Literal

_SLACK_TEXTS = {"plain_text", "mrkdwn"}


@cache
def limit(surface: str, item: str) -> int:
    """The largest value `surface` accepts for `item`, as the data file names it."""
    return _table()[surface, item]


@cache
def _table() -> dict[tuple[str, str], int]:
    text = files("bot").joinpath("data/chat_limits.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {(row["surface"], row["item"]): int(row["maximum"]) for row in rows}


def violations(surface: Literal["slack", "discord"], payload: dict[str, Any]) -> list[str]:
    """Every limit of `surface` that `payload` breaks, one line each; empty when it may be sent."""
    return list(_slack(payload) if surface == "slack" else _discord(payload))


def length(text: str) -> int:
    """How long a platform may count `text`."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _over(surface: str, item: str, size: int) -> Iterator[str]:
    most = limit(surface, item)
    if size > most:
        yield f"{item}: {size} of {most}"


def _slack(payload: dict[str, Any]) -> Iterator[str]:
    blocks: list[dict[str, Any]] = payload.get("blocks", [])
    yield from _over("slack", "message text", length(payload.get("text", "")))
    yield from _over("slack", "blocks per message", len(blocks))
    yield from _over("slack", "blocks payload characters", len(json.dumps(blocks)))
    for block in blocks:
        yield from _slack_block(block)


def _slack_block(block: dict[str, Any]) -> Iterator[str]:
    kind = block["type"]
    elements = block.get("elements", [])
    if kind == "header":
        yield from _over("slack", "header text", length(block["text"]["text"]))
    if kind == "section":
        fields = block.get("fields", [])
        yield from _over("slack", "section fields", len(fields))
        for field in fields:
            yield from _over("slack", "section field text", length(field["text"]))
    if kind in ("context", "actions"):
        yield from _over("slack", f"{kind} elements", len(elements))
    for node in _nodes(block):
        if node.get("type") in _SLACK_TEXTS | {"text"}:
            if not node["text"]:
                yield f"empty text in {kind}"
            yield from _over("slack", "text object", length(node["text"]))


def _discord(payload: dict[str, Any]) -> Iterator[str]:
    nodes = [node for node in _nodes(payload) if "type" in node]
    texts = [length(value) for node in nodes for value in _texts(node)]
    if 0 in texts:
        yield "empty text"
    yield from _over("discord", "components per message", len(nodes))
    yield from _over("discord", "text over the message", sum(texts))


def _texts(node: dict[str, Any]) -> Iterator[str]:
    return (value for key in ("text", "content") if isinstance(value := node.get(key), str))


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Every object inside a JSON value, itself included."""
    if isinstance(value, dict):
        yield value
    children = value.values() if isinstance(value, dict) else value
    for child in children if isinstance(value, (dict, list)) else ():
        yield from _nodes(child)
