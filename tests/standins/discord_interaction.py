"""One interaction of the local Discord, and what the bot answered to it."""

import asyncio
from typing import Any

from tests.standins.discord_payloads import nodes, texts
from tests.standins.discord_rules import EPHEMERAL

MESSAGE, DEFER, DEFER_UPDATE, CHOICES, MODAL = 4, 5, 6, 8, 9
COMMAND, COMPONENT, TYPING, FORM = 2, 3, 4, 5
#: Which first responses Discord takes to which kind of interaction.
FIRST_RESPONSES = {
    COMMAND: {MESSAGE, DEFER, MODAL},
    COMPONENT: {MESSAGE, DEFER, DEFER_UPDATE, MODAL},
    TYPING: {CHOICES},
    FORM: {MESSAGE, DEFER, DEFER_UPDATE},
}


class StandInInteraction:
    """A command, a press, a form or a letter typed; `messages` are the versions of the answer,
    `followups` further messages beside it.
    """

    def __init__(self, number: int, kind: int, begun: float) -> None:
        self.id = str(500000000000000000 + number)
        self.token = f"interaction-token-{number}"
        self.kind = kind
        self.begun = begun
        self.event: dict[str, Any] = {}
        self.callback: dict[str, Any] | None = None
        self.messages: list[dict[str, Any]] = []
        self.followups: list[dict[str, Any]] = []
        self.files: dict[str, bytes] = {}
        self._acknowledged = asyncio.Event()
        self._answered = asyncio.Event()

    @property
    def deferred(self) -> bool:
        """Whether the first response was "thinking"."""
        return self.callback is not None and self.callback["type"] == DEFER

    @property
    def ephemeral(self) -> bool:
        """Whether only the asker sees the answer: the first response decides."""
        return bool(self._data.get("flags", 0) & EPHEMERAL)

    @property
    def choices(self) -> list[dict[str, Any]]:
        """What was offered to somebody who types."""
        return list(self._data["choices"])

    @property
    def modal(self) -> dict[str, Any]:
        """The form that was opened."""
        assert self.callback is not None
        assert self.callback["type"] == MODAL
        return self._data

    @property
    def text(self) -> str:
        """All text of the last version of the answer, or of the last message beside it."""
        shown = (self.messages or self.followups)[-1]
        return "\n".join(texts(shown.get("components", [])))

    @property
    def buttons(self) -> dict[str, str]:
        """The custom ids of the buttons by what they do."""
        shown = (self.messages or self.followups)[-1]
        ids = [one["custom_id"] for one in nodes(shown["components"]) if "custom_id" in one]
        return {one.split(":")[1]: one for one in ids}

    async def acknowledged(self) -> None:
        """Return when the first response has arrived."""
        await asyncio.wait_for(self._acknowledged.wait(), 10)

    async def answered(self) -> None:
        """Return when a message is there."""
        await asyncio.wait_for(self._answered.wait(), 10)

    def acknowledge(self, callback: dict[str, Any]) -> None:
        """Note the first response."""
        self.callback = callback
        self._acknowledged.set()

    def show(self, message: dict[str, Any]) -> None:
        """Note a message or a new version of it."""
        self.messages.append(message)
        self._answered.set()

    def follow_up(self, message: dict[str, Any]) -> None:
        """Note a further message; after "thinking" the first of them is the answer."""
        if self.deferred and not self.messages:
            self.messages.append(message)
        else:
            self.followups.append(message)
        self._answered.set()

    @property
    def _data(self) -> dict[str, Any]:
        return (self.callback or {}).get("data") or {}
