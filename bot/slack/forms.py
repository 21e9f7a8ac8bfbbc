"""The form behind "Change": the question as it was asked, to be sent again otherwise."""

from typing import Any

from bot.escaping import clip
from bot.language import words
from bot.limits import limit
from bot.store.asked import Asked

CALLBACK = "muat-change"
_BLOCK, _INPUT = "question", "text"
MOST_LETTERS = 500


def change_form(question: Asked, key: str, response_url: str) -> dict[str, Any]:
    """The modal; what it needs to answer where the card is stands in its metadata."""
    say = words(question.language)
    title = clip(say.t("actions.form_title"), limit("slack", "modal title"))
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "private_metadata": f"{key} {response_url}",
        "title": {"type": "plain_text", "text": title},
        "submit": {"type": "plain_text", "text": say.t("slack.form_send")},
        "close": {"type": "plain_text", "text": say.t("slack.form_close")},
        "blocks": [
            {
                "type": "input",
                "block_id": _BLOCK,
                "label": {"type": "plain_text", "text": say.t("actions.form_question")},
                "hint": {"type": "plain_text", "text": say.t("actions.form_hint")},
                "element": {
                    "type": "plain_text_input",
                    "action_id": _INPUT,
                    "multiline": True,
                    "max_length": MOST_LETTERS,
                    "initial_value": clip(question.text, MOST_LETTERS),
                },
            }
        ],
    }


def read_form(view: dict[str, Any]) -> tuple[str, str, str]:
    """The question's id, the response URL of its card, and what was written."""
    key, _, response_url = str(view.get("private_metadata") or "").partition(" ")
    written = view["state"]["values"][_BLOCK][_INPUT].get("value") or ""
    return key, response_url, " ".join(written.split())
