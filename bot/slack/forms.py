"""The form behind "Change": the question in parts, to be sent again otherwise."""

from collections.abc import Mapping
from typing import Any

from bot.changing import METHODS, PARTS, UNSAID, Part, method_code, put_together
from bot.escaping import clip
from bot.language import Words, words
from bot.limits import limit
from planner.query import Language

CALLBACK = "muat-change"
_INPUT = "text"
MOST_LETTERS = 500


def change_form(
    parts: Mapping[Part, str], language: Language, key: str, response_url: str
) -> dict[str, Any]:
    """The modal; what it needs to answer where the card is stands in its metadata."""
    say = words(language)
    title = clip(say.t("actions.form_title"), limit("slack", "modal title"))
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "private_metadata": f"{key} {response_url}",
        "title": {"type": "plain_text", "text": title},
        "submit": {"type": "plain_text", "text": say.t("slack.form_send")},
        "close": {"type": "plain_text", "text": say.t("slack.form_close")},
        "blocks": [_field(part, text, say) for part, text in parts.items()],
    }


def read_form(view: dict[str, Any]) -> tuple[str, str, str]:
    """The question's id, the response URL of its card, and the question that was written."""
    key, _, response_url = str(view.get("private_metadata") or "").partition(" ")
    values = view["state"]["values"]
    written = {part: _written(values[part][_INPUT]) for part in PARTS if part in values}
    return key, response_url, put_together(written)


def _field(part: Part, text: str, say: Words) -> dict[str, Any]:
    block = {
        "type": "input",
        "block_id": part,
        "optional": part not in ("question", "model"),
        "label": {"type": "plain_text", "text": say.t(f"actions.form_{part}")},
        "hint": {"type": "plain_text", "text": say.t(f"actions.form_{part}_hint")},
    }
    return {**block, "element": _methods(text, say) if part == "method" else _letters(part, text)}


def _letters(part: Part, text: str) -> dict[str, Any]:
    element = {
        "type": "plain_text_input",
        "action_id": _INPUT,
        "multiline": part == "question",
        "max_length": MOST_LETTERS,
    }
    return {**element, "initial_value": text} if text else element


def _methods(chosen: str, say: Words) -> dict[str, Any]:
    options = {
        method: {
            "text": {"type": "plain_text", "text": say.t(method_code(method))},
            "value": method,
        }
        for method in (UNSAID, *METHODS)
    }
    return {
        "type": "static_select",
        "action_id": _INPUT,
        "options": list(options.values()),
        "initial_option": options[chosen],
    }


def _written(state: dict[str, Any]) -> str:
    chosen = state.get("selected_option") or {}
    return str(chosen.get("value") or state.get("value") or "")
