"""The buttons under a card. Each carries what it does and the short id of the question in its
custom id, so that a press is understood after a restart and by another process.
"""

import re
from collections.abc import Iterator
from typing import Any, Self

from discord import ButtonStyle, Interaction, ui

from bot.actions import SHARE
from bot.language import Words
from bot.limits import limit

_A_ROW = limit("discord", "buttons per row")
_PREFIX = "muat"


class CardButton(
    ui.DynamicItem[ui.Button[ui.LayoutView]],
    template=re.compile(rf"{_PREFIX}:(?P<action>[a-z_]{{1,16}}):(?P<key>[\w-]{{1,24}})"),
):
    """One button of a card; a press goes to the client."""

    def __init__(self, action: str, key: str, label: str | None = None) -> None:
        self.action = action
        self.key = key
        style = ButtonStyle.primary if action == SHARE else ButtonStyle.secondary
        super().__init__(ui.Button(label=label, style=style, custom_id=custom_id(action, key)))

    @classmethod
    async def from_custom_id(
        cls, interaction: Interaction[Any], item: ui.Item[Any], match: re.Match[str]
    ) -> Self:
        """The button that was pressed."""
        label = item.label if isinstance(item, ui.Button) else None
        return cls(match["action"], match["key"], label)

    async def callback(self, interaction: Interaction[Any]) -> None:
        """Hand the press to the client."""
        await interaction.client.press(interaction, self.action, self.key)


def custom_id(action: str, key: str) -> str:
    """What a button, or a form, carries."""
    return f"{_PREFIX}:{action}:{key}"


def read_custom_id(written: str) -> tuple[str, str] | None:
    """The action and the question's id; None where it is none of ours."""
    match = CardButton.__discord_ui_compiled_template__.fullmatch(written)
    return (match["action"], match["key"]) if match else None


def button_rows(actions: tuple[str, ...], key: str, say: Words) -> Iterator[ui.ActionRow[Any]]:
    """The buttons of `actions` about the question `key`, five a row."""
    for first in range(0, len(actions), _A_ROW):
        row: ui.ActionRow[Any] = ui.ActionRow()
        for action in actions[first : first + _A_ROW]:
            row.add_item(CardButton(action, key, say.t(f"actions.button_{action}")))
        yield row
