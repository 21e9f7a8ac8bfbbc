"""Who asks in Slack, where, and in which language."""

from typing import Any, NamedTuple

from bot.language import LANGUAGES
from bot.store.engine import Store
from bot.store.team_settings import Where, settings_of
from planner.query import Language

LANGUAGE = "language"


class Asker(NamedTuple):
    """The person who asks and the place; `name` is as Slack writes it, `language` what it tells of
    the reader's.
    """

    person: str
    name: str
    team: str
    channel: str
    language: Language | None

    @property
    def where(self) -> Where:
        """Whose settings hold."""
        return Where("slack", self.team, self.channel)


def language_for(store: Store, asker: Asker) -> Language | None:
    """The language to answer in: what the channel or workspace has set, else the reader's own."""
    wanted = settings_of(store, asker.where).get(LANGUAGE)
    return next((known for known in LANGUAGES if known == wanted), asker.language)


def unescaped(text: str) -> str:
    """What was typed: Slack sends &, < and > as entities."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def asker_from(payload: dict[str, Any], language: Language | None) -> Asker:
    """Who uses a command, presses a button, sends a form or uses a shortcut."""
    if "user_id" in payload:
        return Asker(
            person=payload["user_id"],
            name=str(payload.get("user_name") or ""),
            team=payload.get("team_id", ""),
            channel=payload.get("channel_id", ""),
            language=language,
        )
    user = payload["user"]
    return Asker(
        person=user["id"],
        name=str(user.get("username") or user.get("name") or ""),
        team=(payload.get("team") or {}).get("id", ""),
        channel=(payload.get("channel") or {}).get("id", ""),
        language=language,
    )
