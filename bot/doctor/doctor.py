"""`muat doctor`: what a deployment has, lacks and has wrong, one line a thing, each with a hint."""

import asyncio
import difflib
import os
import sys
from datetime import UTC, datetime

import aiohttp

from bot.deployment import Settings
from bot.doctor.finding import Finding, State, finding
from bot.machine import Output, jsonable, write_json
from bot.settings import PREFIX, deployment
from planner.base import Frozen
from planner.catalog.store import open_catalog
from planner.errors import BadInput, Refusal
from planner.notes import note

#: Settings that are read apart from the others.
_BESIDE = {"MUAT_DEBUG"}
_PATIENCE = aiohttp.ClientTimeout(total=10)
_MARKS: dict[State, str] = {"ok": "ok", "missing": "--", "wrong": "!!", "unknown": "??"}


class Diagnosis(Frozen):
    """Everything that was looked at."""

    findings: tuple[Finding, ...]

    @property
    def is_well(self) -> bool:
        """Whether what is configured works."""
        return all(one.state != "wrong" for one in self.findings)


def diagnose(now: datetime | None = None) -> Diagnosis:
    """Look at everything once; the platforms are asked over the network."""
    now = now or datetime.now(UTC)
    findings = [_typos(), catalog_finding(now)]
    try:
        wanted = deployment()
    except BadInput as refusal:
        wrong = Finding(name="settings", state="wrong", said=refusal.note)
        return Diagnosis(findings=(*findings, wrong))
    findings += [*_database(wanted, now), _encryption(wanted)]
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
        return finding("settings", "ok", "doctor.settings_known")
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


def _database(wanted: Settings, now: datetime) -> list[Finding]:
    """The database, and in it when a worker last showed itself."""
    from bot.store.engine import open_store, require_answer
    from bot.store.workers import LOST_AFTER, last_seen

    url = wanted.database_url.get_secret_value() if wanted.database_url else None
    try:
        store = open_store(url)
        require_answer(store)
    except Refusal as refusal:
        return [Finding(name="database", state="wrong", said=refusal.note)]
    database = finding("database", "ok", "doctor.database_set" if url else "doctor.database_own")
    seen = last_seen(store)
    if seen is None or now - seen >= LOST_AFTER:
        return [database, finding("worker", "missing", "doctor.no_worker")]
    moment = f"{seen:%Y-%m-%d %H:%M} UTC"
    return [database, finding("worker", "ok", "doctor.worker_seen", moment=moment)]


def _encryption(wanted: Settings) -> Finding:
    from cryptography.fernet import Fernet

    if wanted.encryption_key is None:
        return finding("encryption", "missing", "doctor.no_key")
    try:
        Fernet(wanted.encryption_key.get_secret_value())
    except ValueError:
        return finding("encryption", "wrong", "doctor.bad_key")
    return finding("encryption", "ok", "doctor.key")


async def _platforms(wanted: Settings) -> list[Finding]:
    from bot.doctor.discord import discord_findings
    from bot.doctor.slack import slack_findings

    async with aiohttp.ClientSession(timeout=_PATIENCE) as session:
        return [
            *await slack_findings(session, wanted),
            *await discord_findings(session, wanted),
        ]
