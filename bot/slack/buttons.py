"""The buttons under a card: each carries what it does, and the short id of the question."""

from typing import Any

from bot.actions import SHARE
from bot.language import Words

PREFIX = "muat:"
BLOCK_ID = "muat-actions"


def buttons_block(actions: tuple[str, ...], key: str, say: Words) -> dict[str, Any]:
    """The buttons of `actions` about the question `key`."""
    return {
        "type": "actions",
        "block_id": BLOCK_ID,
        "elements": [_button(action, key, say) for action in actions],
    }


def _button(action: str, key: str, say: Words) -> dict[str, Any]:
    button = {
        "type": "button",
        "action_id": f"{PREFIX}{action}",
        "value": key,
        "text": {"type": "plain_text", "text": say.t(f"actions.button_{action}")},
    }
    return {**button, "style": "primary"} if action == SHARE else button


def read_action(action: dict[str, Any]) -> tuple[str, str]:
    """The action and the question's id of a button that was pressed."""
    return str(action["action_id"]).removeprefix(PREFIX), str(action.get("value") or "")
