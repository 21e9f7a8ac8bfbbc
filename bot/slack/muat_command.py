"""/muat help, settings and status: what a workspace, or one of its channels, has set."""

import asyncio

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.doctor.doctor import catalog_finding
from bot.escaping import mrkdwn
from bot.language import LANGUAGES, words
from bot.slack.answers import Answers, Message, sentence
from bot.slack.asking import LANGUAGE, Asker
from bot.store.team_settings import Where, set_value, settings_of
from bot.store.unasked import SETTING as UNASKED
from bot.store.unasked import YES

_READERS_OWN = "reader"
_HERE = "here"


async def answer_muat(
    answers: Answers, client: AsyncWebClient, asker: Asker, typed: str
) -> Message:
    """The answer to `/muat` with `typed` behind it."""
    first, *rest = typed.lower().split() or ["help"]
    if first in ("settings", "setelan", "pengaturan"):
        return await _settings(answers, client, asker, rest)
    if first == "status":
        found = await asyncio.to_thread(catalog_finding, answers.now())
        return {"text": mrkdwn(words(await answers.language(asker)).say(found.said))}
    if first in ("help", "bantuan"):
        return await answers.to("/help", asker, private=True)
    return await answers.to(f"/ask {typed}", asker, private=True)


async def _settings(
    answers: Answers, client: AsyncWebClient, asker: Asker, said: list[str]
) -> Message:
    say = words(await answers.language(asker))
    if any(one.startswith(f"{UNASKED}=") for one in said):
        return await _set_unasked(answers, client, asker, said)
    wanted = next((one.removeprefix("language=") for one in said if one != _HERE), None)
    if wanted is not None and wanted not in (*LANGUAGES, _READERS_OWN):
        return sentence("slack.settings_unknown", say, language=wanted)
    if wanted is None:
        code = "slack.settings_now"
    elif not await may_manage(client, asker):
        code = "slack.settings_refused"
    else:
        where = asker.where if _HERE in said else Where("slack", asker.team)
        value = None if wanted == _READERS_OWN else wanted
        await asyncio.to_thread(
            lambda: set_value(
                answers.store, where, LANGUAGE, value, by=asker.person, now=answers.now()
            )
        )
        code = "slack.settings_set"
    say = words(await answers.language(asker))
    found = await asyncio.to_thread(settings_of, answers.store, asker.where)
    shown = say.t(f"discord.language_{found.get(LANGUAGE, _READERS_OWN)}")
    return sentence(code, say, language=shown)


async def _set_unasked(
    answers: Answers, client: AsyncWebClient, asker: Asker, said: list[str]
) -> Message:
    """Whether questions in this channel are answered although nobody asks Muat."""
    say = words(await answers.language(asker))
    if not await may_manage(client, asker):
        return sentence("slack.settings_refused", say, language=await answers.language(asker))
    wants = any(one in (f"{UNASKED}=yes", f"{UNASKED}=ya") for one in said)
    await asyncio.to_thread(
        lambda: set_value(
            answers.store,
            asker.where,
            UNASKED,
            YES if wants else None,
            by=asker.person,
            now=answers.now(),
        )
    )
    state = say.t("slack.unasked_answered" if wants else "slack.unasked_left")
    return sentence("slack.unasked_set", say, state=state)


async def may_manage(client: AsyncWebClient, asker: Asker) -> bool:
    """Whether Slack calls the asker an administrator or owner of the workspace."""
    try:
        response = await client.users_info(user=asker.person)
    except SlackApiError:
        return False
    user = response.get("user") or {}
    return bool(user.get("is_admin") or user.get("is_owner"))
