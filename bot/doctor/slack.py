"""What Slack says of the tokens: whether they work, and what they may do."""

import aiohttp
from pydantic import SecretStr

from bot.deployment import Settings
from bot.doctor.asking import asked
from bot.doctor.finding import Finding, finding
from bot.slack.manifest import SCOPES

_API = "https://slack.com/api/"


async def slack_findings(session: aiohttp.ClientSession, wanted: Settings) -> list[Finding]:
    """The bot token with its scopes, and the way events take to Muat."""
    if wanted.slack_bot_token is None:
        return [finding("slack", "missing", "doctor.slack_off")]
    base = (wanted.slack_api_url or _API).rstrip("/")
    bot, app = wanted.slack_bot_token, wanted.slack_app_token
    found = await asked("slack", lambda: _bot_token(session, base, bot))
    if app is not None:
        found += await asked("slack events", lambda: _app_token(session, base, app))
    elif wanted.slack_signing_secret is None:
        found.append(finding("slack events", "wrong", "doctor.slack_deaf"))
    return found


async def _bot_token(session: aiohttp.ClientSession, base: str, token: SecretStr) -> list[Finding]:
    body, granted = await _call(session, f"{base}/auth.test", token)
    if not body.get("ok"):
        return [_refused("slack", "MUAT_SLACK_BOT_TOKEN", body)]
    found = [finding("slack", "ok", "doctor.slack_team", team=str(body.get("team")))]
    lacking = tuple(scope for scope in SCOPES if scope not in granted) if granted else ()
    if lacking:
        found.append(finding("slack scopes", "wrong", "doctor.slack_scopes", scopes=lacking))
    return found


async def _app_token(session: aiohttp.ClientSession, base: str, token: SecretStr) -> list[Finding]:
    """Whether Socket Mode opens: asked for an address, which is not used."""
    body, _ = await _call(session, f"{base}/apps.connections.open", token)
    if not body.get("ok"):
        return [_refused("slack events", "MUAT_SLACK_APP_TOKEN", body)]
    return [finding("slack events", "ok", "doctor.slack_socket")]


async def _call(
    session: aiohttp.ClientSession, url: str, token: SecretStr
) -> tuple[dict[str, object], frozenset[str]]:
    """Slack's answer, and the scopes that the token has."""
    headers = {"Authorization": f"Bearer {token.get_secret_value()}"}
    async with session.post(url, headers=headers) as answer:
        scopes = answer.headers.get("x-oauth-scopes", "").split(",")
        return await answer.json(), frozenset(one.strip() for one in scopes if one.strip())


def _refused(name: str, setting: str, body: dict[str, object]) -> Finding:
    reason = str(body.get("error"))
    if reason == "missing_scope":
        return finding(name, "wrong", "doctor.slack_app_scope", setting=setting)
    return finding(name, "wrong", "slack.token_refused", setting=setting, reason=reason)
