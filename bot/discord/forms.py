"""The form behind "Change": the question in parts, to be sent again otherwise.

What comes back is read from the interaction itself, so that a form that was opened before a
restart is understood after it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from discord import SelectOption, TextStyle, ui

from bot.actions import CHANGE
from bot.changing import METHODS, PARTS, UNSAID, Part, method_code, put_together
from bot.discord.buttons import custom_id
from bot.discord.commands import MAX_TEXT
from bot.language import Words, words
from planner.query import Language

#: Discord forgets a form nobody sends; this process forgets its own copy.
_OPEN_SECONDS = 15 * 60.0


class ChangeForm(ui.Modal):
    """The question in parts, one field each."""

    def __init__(self, parts: Mapping[Part, str], language: Language, key: str) -> None:
        say = words(language)
        super().__init__(
            title=say.t("actions.form_title"),
            custom_id=custom_id(CHANGE, key),
            timeout=_OPEN_SECONDS,
        )
        for part, text in parts.items():
            self.add_item(
                ui.Label(
                    text=say.t(f"actions.form_{part}"),
                    description=say.t(f"actions.form_{part}_hint"),
                    component=_methods(text, say) if part == "method" else _letters(part, text),
                )
            )


def text_of(data: Any) -> str:
    """The question written into a form that came back."""
    written = dict(_written(data.get("components")))
    return put_together({part: written[part] for part in PARTS if part in written})


def _letters(part: Part, text: str) -> ui.TextInput[Any]:
    return ui.TextInput(
        custom_id=part,
        style=TextStyle.paragraph if part == "question" else TextStyle.short,
        default=text or None,
        required=part in ("question", "model"),
        max_length=MAX_TEXT,
    )


def _methods(chosen: str, say: Words) -> ui.Select[Any]:
    options = [
        SelectOption(label=say.t(method_code(method)), value=method, default=method == chosen)
        for method in (UNSAID, *METHODS)
    ]
    return ui.Select(custom_id="method", options=options, required=False)


def _written(nodes: Any) -> Iterator[tuple[str, str]]:
    for node in nodes or ():
        if "value" in node:
            yield node["custom_id"], str(node["value"])
        elif node.get("values"):
            yield node["custom_id"], str(node["values"][0])
        if inner := node.get("component"):
            yield from _written([inner])
        yield from _written(node.get("components"))
