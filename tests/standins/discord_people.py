"""What people do on the local Discord: commands, buttons, forms, letters typed and messages."""

from itertools import count
from typing import Any

from tests.standins.discord_interaction import (
    COMMAND,
    COMPONENT,
    FORM,
    TYPING,
    StandInInteraction,
)
from tests.standins.discord_payloads import (
    APPLICATION_ID,
    ASKER,
    BOT,
    interaction_payload,
    message_payload,
    posted_payload,
)

_MESSAGES = count(800000000000000000)

#: A list to choose from.
SELECT = 3


class DiscordPeople:
    """The part of the local Discord that is its people; a test acts through it."""

    now: float
    permissions: str
    commands: list[dict[str, Any]]
    interactions: dict[str, StandInInteraction]

    async def _dispatch(self, event: str, data: dict[str, Any]) -> None:
        raise NotImplementedError

    async def slash(
        self,
        name: str,
        *,
        locale: str = "en-US",
        guild_locale: str = "en-US",
        seconds_ago: float = 0.0,
        **options: str | int,
    ) -> StandInInteraction:
        """Somebody uses the registered command `name` with these options."""
        command = self._command(name, 1)
        offered = {option["name"]: option for option in command.get("options", [])}
        assert set(options) <= set(offered), f"/{name} has no such option"
        assert all(n in options for n, o in offered.items() if o.get("required")), "missing option"
        texts = {n: v for n, v in options.items() if isinstance(v, str)}
        assert all(len(v) <= offered[n].get("max_length", 6000) for n, v in texts.items())
        chosen = [
            {"name": n, "type": offered[n]["type"], "value": value} for n, value in options.items()
        ]
        data = {"id": command["id"], "name": name, "type": 1, "options": chosen}
        return await self._interact(COMMAND, data, locale, guild_locale, seconds_ago)

    async def type(
        self, name: str, option: str, text: str, *, locale: str = "en-US"
    ) -> StandInInteraction:
        """Somebody types `text` into an option of a command that completes it."""
        command = self._command(name, 1)
        offered = next(o for o in command["options"] if o["name"] == option)
        assert offered.get("autocomplete"), f"{option} of /{name} is not completed"
        focused = {"name": option, "type": 3, "value": text, "focused": True}
        data = {"id": command["id"], "name": name, "type": 1, "options": [focused]}
        return await self._interact(TYPING, data, locale)

    async def ask_about(
        self, name: str, content: str, *, locale: str = "en-US"
    ) -> StandInInteraction:
        """Somebody uses the message command `name` over a message with this text."""
        command = self._command(name, 3)
        target = posted_payload("700000000000000001", content, author=ASKER)
        data = {
            "id": command["id"], "name": name, "type": 3, "target_id": target["id"],
            "resolved": {"messages": {target["id"]: target}},
        }  # fmt: skip
        return await self._interact(COMMAND, data, locale)

    async def press(
        self,
        shown: StandInInteraction,
        action: str,
        *,
        locale: str = "en-US",
        user: dict[str, Any] = ASKER,
        seconds_ago: float = 0.0,
    ) -> StandInInteraction:
        """Somebody presses the button `action` under an answer."""
        message = message_payload(shown.id, {**(shown.messages or shown.followups)[-1]})
        data = {"custom_id": shown.buttons[action], "component_type": 2}
        return await self._interact(
            COMPONENT, data, locale, seconds_ago=seconds_ago, message=message, user=user
        )

    async def submit(
        self, opened: StandInInteraction, *, locale: str = "en-US", **values: str
    ) -> StandInInteraction:
        """Somebody sends the form that was opened, with these values in place of its own."""
        fields = [label["component"] for label in opened.modal["components"]]
        written = [
            {
                "type": 18, "id": number,
                "component": _filled_in(field, 100 + number, values.get(field["custom_id"])),
            }
            for number, field in enumerate(fields, 1)
        ]  # fmt: skip
        data = {"custom_id": opened.modal["custom_id"], "components": written}
        return await self._interact(FORM, data, locale)

    async def say(self, content: str, *, direct: bool = False, times: int = 1) -> None:
        """Somebody writes a message; the bot sees the text of those that are for it. It may be
        delivered several times.
        """
        message = posted_payload(str(next(_MESSAGES)), content, author=ASKER)
        if not direct:
            message["guild_id"] = "200000000000000001"
            mentioned = f"<@{APPLICATION_ID}>" in content
            message["mentions"] = [BOT] if mentioned else []
            visible = mentioned or self.grants_message_content
            message["content"] = content if visible else ""
        for _ in range(times):
            await self._dispatch("MESSAGE_CREATE", message)

    async def redeliver(self, interaction: StandInInteraction) -> None:
        """Send an interaction a second time."""
        await self._dispatch("INTERACTION_CREATE", interaction.event)

    def _command(self, name: str, kind: int) -> dict[str, Any]:
        return next(c for c in self.commands if (c["name"], c.get("type", 1)) == (name, kind))

    async def _interact(
        self,
        kind: int,
        data: dict[str, Any],
        locale: str,
        guild_locale: str = "en-US",
        seconds_ago: float = 0.0,
        **more: Any,
    ) -> StandInInteraction:
        begun = self.now - seconds_ago
        interaction = StandInInteraction(len(self.interactions) + 1, kind, begun)
        self.interactions[interaction.id] = interaction
        interaction.event = interaction_payload(interaction, data, locale, guild_locale, **more)
        interaction.event["member"]["permissions"] = self.permissions
        await self._dispatch("INTERACTION_CREATE", interaction.event)
        return interaction


def _filled_in(field: dict[str, Any], number: int, value: str | None) -> dict[str, Any]:
    """A field as it comes back: with `value`, else as it was opened."""
    sent = {"type": field["type"], "id": number, "custom_id": field["custom_id"]}
    if field["type"] == SELECT:
        chosen = [one["value"] for one in field["options"] if one.get("default")]
        return {**sent, "values": chosen if value is None else [value]}
    return {**sent, "value": field.get("value", "") if value is None else value}
