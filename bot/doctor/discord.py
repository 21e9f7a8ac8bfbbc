"""What Discord says of the token and of the application it belongs to."""

import aiohttp

from bot.deployment import Settings
from bot.doctor.asking import asked
from bot.doctor.finding import Finding, finding

_API = "https://discord.com/api/v10"
#: Flags of an application that may read messages: granted, and as switched on by hand.
_MESSAGE_CONTENT = (1 << 18) | (1 << 19)


async def discord_findings(session: aiohttp.ClientSession, wanted: Settings) -> list[Finding]:
    """The token, and what of the application's settings keeps Muat from answering."""
    if wanted.discord_token is None:
        return [finding("discord", "missing", "doctor.discord_off")]
    base = (wanted.discord_api_url or _API).rstrip("/")
    headers = {"Authorization": f"Bot {wanted.discord_token.get_secret_value()}"}

    async def ask() -> list[Finding]:
        async with session.get(f"{base}/applications/@me", headers=headers) as answer:
            if answer.status in (401, 403):
                return [finding("discord", "wrong", "discord.refused_token")]
            return _application(await answer.json(), wanted.discord_reads_messages)

    return await asked("discord", ask)


def _application(body: dict[str, object], reads_messages: bool) -> list[Finding]:
    found = [finding("discord", "ok", "doctor.discord_bot", bot=str(body.get("name")))]
    flags = body.get("flags")
    may_read = isinstance(flags, int) and bool(flags & _MESSAGE_CONTENT)
    if reads_messages and not may_read:
        found.append(finding("discord intents", "wrong", "doctor.discord_intent"))
    if body.get("interactions_endpoint_url"):
        found.append(finding("discord events", "wrong", "doctor.discord_endpoint"))
    if body.get("approximate_guild_count") == 0:
        found.append(finding("discord servers", "missing", "doctor.discord_nowhere"))
    return found
