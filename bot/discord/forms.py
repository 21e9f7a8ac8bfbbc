"""The form behind "Change": the question as it was asked, to be sent again otherwise.

What comes back is read from the interaction itself, so that a form that was opened before a
restart is understood after it.
"""

from collections.abc import Iterator
from typing import Any

from discord import TextStyle, ui

from bot.actions import CHANGE
from bot.discord.buttons import custom_id
from bot.discord.commands import MAX_TEXT
from bot.escaping import clip
from bot.language import words
from bot.store.asked import Asked

#: Discord forgets a form nobody sends; this process forgets its own copy.
_OPEN_SECONDS = 15 * 60.0
_QUESTION = "question"


class ChangeForm(ui.Modal):
    """The question in one field, as its asker wrote it."""

    def __init__(self, question: Asked, key: str) -> None:
        say = words(question.language)
        super().__init__(
            title=say.t("actions.form_title"),
            custom_id=custom_id(CHANGE, key),
            timeout=_OPEN_SECONDS,
        )
        self.add_item(
            ui.Label(
                text=say.t("actions.form_question"),
                description=say.t("actions.form_hint"),
                component=ui.TextInput(
                    custom_id=_QUESTION,
                    style=TextStyle.paragraph,
                    default=clip(question.text, MAX_TEXT),
                    required=True,
                    max_length=MAX_TEXT,
                ),
            )
        )


def text_of(data: Any) -> str:
    """What was written into a form that came back."""
    return " ".join(dict(_written(data.get("components"))).get(_QUESTION, "").split())


def _written(nodes: Any) -> Iterator[tuple[str, str]]:
    for node in nodes or ():
        if "value" in node:
            yield node["custom_id"], str(node["value"])
        if inner := node.get("component"):
            yield from _written([inner])
        yield from _written(node.get("components"))
