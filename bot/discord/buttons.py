"""The buttons under a card. Each carries what it does and the short id of the question in its
custom id, so that a press is understood after a restart and by another process.
"""

import re
from collections.abc import Iterator
from typing import Any, Self

from discord import ButtonStyle, Interaction, ui

from bot.cards.card import Card, Kind
from bot.commands.registry import all_commands
from bot.grammar.command import CommandName
from bot.language import Words
from bot.limits import limit

#: What needs no command: a form with the question in it, the rest of a long card, showing it to
#: the channel. Every other action is a command of that name over the same question.
CHANGE, MORE, SHARE = "change", "more", "share"
_UNDER: dict[Kind, tuple[str, ...]] = {
    "fit": (CHANGE, "compare", "recipe", "explain"),
    "compare": (CHANGE,),
    "explain": (CHANGE,),
    "recipe": (CHANGE,),
    "prices": (CHANGE,),
}
#: What a command is asked beside the question itself: comparing one job takes several ways to it.
ASKED_BESIDE = {"compare": "full vs lora vs qlora"}
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


def actions_under(card: Card, *, shareable: bool, is_cut: bool) -> tuple[str, ...]:
    """What the buttons under `card` do, in order."""
    if command_of(card) is None:
        return ()
    known = {CHANGE, *all_commands()}
    actions = [action for action in _UNDER.get(card.kind, ()) if action in known]
    if is_cut:
        actions.append(MORE)
    if shareable:
        actions.append(SHARE)
    return tuple(actions)


def command_of(card: Card) -> CommandName | None:
    """The command that gives this kind of card; None where there is no question to ask again."""
    if card.kind == "notice" or card.kind == "help":
        return None
    return "ask" if card.kind == "answer" else card.kind


def button_rows(actions: tuple[str, ...], key: str, say: Words) -> Iterator[ui.ActionRow[Any]]:
    """The buttons of `actions` about the question `key`, five a row."""
    for first in range(0, len(actions), _A_ROW):
        row: ui.ActionRow[Any] = ui.ActionRow()
        for action in actions[first : first + _A_ROW]:
            row.add_item(CardButton(action, key, say.t(f"discord.button_{action}")))
        yield row
