"""`muat doctor`: what a deployment has, lacks and has wrong, one line a thing, each with a hint."""

import asyncio
import difflib
import os
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Literal

import aiohttp

from bot.deployment import Settings
from bot.machine import Output, jsonable, write_json
from bot.settings import PREFIX, deployment
from planner.base import Frozen
from planner.catalog.store import open_catalog
from planner.errors import BadInput, Refusal
from planner.notes import Note, note

State = Literal["ok", "missing", "wrong", "unknown"]
#: Settings that are read apart from the others.
_BESIDE = {"MUAT_DEBUG"}
_PATIENCE = aiohttp.ClientTimeout(total=10)
_MARKS: dict[State, str] = {"ok": "ok", "missing": "--", "wrong": "!!", "unknown": "??"}


class Finding(Frozen):
    """One thing that was looked at, what was found, and what to do about it."""

    name: str
    state: State
    said: Note


class Diagnosis(Frozen):
    """Everything that was looked at."""

    findings: tuple[Finding, ...]

    @property
    def is_well(self) -> bool:
        """Whether what is configured works."""
        return all(one.state != "wrong" for one in self.findings)


def diagnose(now: datetime | None = None) -> Diagnosis:
    """Look at everything once; the platforms are asked over the network."""
    findings = [_typos(), catalog_finding(now or datetime.now(UTC))]
    try:
        wanted = deployment()
    except BadInput as refusal:
        wrong = Finding(name="settings", state="wrong", said=refusal.note)
        return Diagnosis(findings=(*findings, wrong))
    findings += [_database(wanted), _encryption(wanted), _worker(wanted)]
    findings += asyncio.run(_platforms(wanted))
    return Diagnosis(findings=tuple(findings))


def say_diagnosis(out: Output) -> int:
    """Write what was found; 1 where something configured does not work."""
    found, spoken = diagnose(), out.words()
    if out.json:
        write_json(jsonable(found, spoken))
    else:
        for one in found.findings:
            sys.stdout.write(f"{_MARKS[one.state]}  {one.name:<16} {spoken.say(one.said)}\n")
    return 0 if found.is_well else 1


def misspelt(names: list[str]) -> dict[str, str]:
    """Variables that are none of Muat's, with the nearest that is."""
    known = [f"{PREFIX}{name}".upper() for name in Settings.model_fields] + sorted(_BESIDE)
    found = {}
    for name in names:
        if name.startswith(PREFIX) and name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
            found[name] = near[0]
    return found


def _typos() -> Finding:
    wrong = misspelt(sorted(os.environ))
    if not wrong:
        return Finding(name="settings", state="ok", said=note("doctor.settings_known"))
    typed, nearest = next(iter(wrong.items()))
    said = note("doctor.setting_unknown", typed=typed, nearest=nearest)
    return Finding(name="settings", state="wrong", said=said)


def catalog_finding(now: datetime) -> Finding:
    """Which prices there are, and how old."""
    try:
        with open_catalog(deployment().catalog) as catalog:
            facts = catalog.facts(now)
    except Refusal as refusal:
        return Finding(name="catalog", state="wrong", said=refusal.note)
    day = facts.gathered_on or facts.as_of or "?"
    if facts.freshness == "sample":
        said = note("doctor.catalog_sample", offers=facts.offers, day=day)
        return Finding(name="catalog", state="missing", said=said)
    state: State = "unknown" if facts.freshness == "stale" else "ok"
    code = "doctor.catalog_stale" if state == "unknown" else "doctor.catalog_fresh"
    return Finding(name="catalog", state=state, said=note(code, offers=facts.offers, day=day))


def _database(wanted: Settings) -> Finding:
    from bot.store.engine import open_store, require_answer

    url = wanted.database_url.get_secret_value() if wanted.database_url else None
    try:
        require_answer(open_store(url))
    except Refusal as refusal:
        return Finding(name="database", state="wrong", said=refusal.note)
    code = "doctor.database_set" if url else "doctor.database_own"
    return Finding(name="database", state="ok", said=note(code))


def _encryption(wanted: Settings) -> Finding:
    from cryptography.fernet import Fernet

    if wanted.encryption_key is None:
        return Finding(name="encryption", state="missing", said=note("doctor.no_key"))
    try:
        Fernet(wanted.encryption_key.get_secret_value())
    except ValueError:
        return Finding(name="encryption", state="wrong", said=note("doctor.bad_key"))
    return Finding(name="encryption", state="ok", said=note("doctor.key"))


def _worker(wanted: Settings) -> Finding:
    if wanted.worker_id is None:
        return Finding(name="worker", state="missing", said=note("doctor.no_worker_id"))
    said = note("doctor.worker_id", worker=wanted.worker_id)
    return Finding(name="worker", state="ok", said=said)


async def _platforms(wanted: Settings) -> list[Finding]:
    async with aiohttp.ClientSession(timeout=_PATIENCE) as session:
        slack = await _slack(session, wanted)
        return [*slack, await _discord(session, wanted)]


async def _slack(session: aiohttp.ClientSession, wanted: Settings) -> list[Finding]:
    from bot.slack.manifest import SCOPES

    if wanted.slack_bot_token is None:
        return [Finding(name="slack", state="missing", said=note("doctor.slack_off"))]
    base = wanted.slack_api_url or "https://slack.com/api/"
    token = wanted.slack_bot_token.get_secret_value()

    async def ask() -> list[Finding]:
        headers = {"Authorization": f"Bearer {token}"}
        async with session.post(f"{base.rstrip('/')}/auth.test", headers=headers) as answer:
            body = await answer.json()
            granted = {one.strip() for one in answer.headers.get("x-oauth-scopes", "").split(",")}
        if not body.get("ok"):
            reason = str(body.get("error"))
            said = note("slack.token_refused", setting="MUAT_SLACK_BOT_TOKEN", reason=reason)
            return [Finding(name="slack", state="wrong", said=said)]
        said = note("doctor.slack_team", team=str(body.get("team")))
        found = [Finding(name="slack", state="ok", said=said)]
        lacking = tuple(scope for scope in SCOPES if scope not in granted) if any(granted) else ()
        if lacking:
            said = note("doctor.slack_scopes", scopes=lacking)
            found.append(Finding(name="slack scopes", state="wrong", said=said))
        return found

    found = await _asked("slack", ask)
    if wanted.slack_app_token is None and wanted.slack_signing_secret is None:
        found.append(Finding(name="slack events", state="wrong", said=note("doctor.slack_deaf")))
    return found


async def _discord(session: aiohttp.ClientSession, wanted: Settings) -> Finding:
    if wanted.discord_token is None:
        return Finding(name="discord", state="missing", said=note("doctor.discord_off"))
    base = wanted.discord_api_url or "https://discord.com/api/v10"
    token = wanted.discord_token.get_secret_value()

    async def ask() -> list[Finding]:
        headers = {"Authorization": f"Bot {token}"}
        async with session.get(f"{base.rstrip('/')}/users/@me", headers=headers) as answer:
            if answer.status in (401, 403):
                said = note("discord.refused_token")
                return [Finding(name="discord", state="wrong", said=said)]
            body = await answer.json()
        said = note("doctor.discord_bot", bot=str(body.get("username")))
        return [Finding(name="discord", state="ok", said=said)]

    return (await _asked("discord", ask))[0]


async def _asked(name: str, ask: Callable[[], Awaitable[list[Finding]]]) -> list[Finding]:
    """What a platform says; unknown where it could not be asked."""
    try:
        return await ask()
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        said = note("doctor.not_asked", reason=type(error).__name__)
        return [Finding(name=name, state="unknown", said=said)]
