"""What happens when answering on Discord goes wrong: one sentence to the asker, the rest in the
log.
"""

import logging
import secrets
from typing import Any

import aiohttp
import discord
from discord import Interaction

from bot.discord.asking import language_hint
from bot.discord.showing import tell
from bot.language import DEFAULT_LANGUAGE, words

# Discord's codes for an interaction that nobody can answer any more.
OVER = {
    10008: "its message is gone",
    10015: "its token is unknown",
    10062: "it was acknowledged too late",
    40060: "somebody else acknowledged it",
    50027: "its token has expired",
}

log = logging.getLogger(__name__)


async def report(interaction: Interaction[Any], cause: BaseException) -> None:
    """Drop an interaction that is over; else apologise with an id that is also in the log."""
    if isinstance(cause, discord.HTTPException) and cause.code in OVER:
        log.warning("Interaction %s dropped: %s.", interaction.id, OVER[cause.code])
        return
    error_id = logged(cause)
    say = words(language_hint(interaction) or DEFAULT_LANGUAGE)
    try:
        await tell(interaction, say.t("discord.apology", error_id=error_id))
    except (discord.HTTPException, aiohttp.ClientError) as refusal:
        log.warning("The apology for error %s did not arrive: %s", error_id, refusal)


def logged(cause: BaseException) -> str:
    """Write `cause` into the log and give the id it is found by."""
    error_id = secrets.token_hex(4)
    log.error("Error %s while answering on Discord", error_id, exc_info=cause)
    return error_id
