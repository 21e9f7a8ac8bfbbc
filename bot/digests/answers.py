"""What `muat digest list` and `muat digest run` answer, as text or JSON."""

import sys
from datetime import datetime
from pathlib import Path

from bot.cards.bodies import DigestBody, WatchedPlan
from bot.digests.content import content
from bot.digests.slots import due_slots
from bot.machine import Output, jsonable, write_json
from bot.render import render
from bot.settings import answer_settings, deployment
from bot.store.engine import Store, open_store
from bot.store.subscriptions import all_of, last_dealt_with
from planner.base import Frozen
from planner.errors import BadInput


class SubscriptionFacts(Frozen):
    """One digest of one channel; `paused_because` is "" where it is active."""

    id: str
    surface: str
    channel: str
    what: str
    weekdays: tuple[int, ...]
    times: tuple[str, ...]
    zone: str
    paused_because: str


class SubscriptionsBody(Frozen):
    """Every digest there is."""

    subscriptions: tuple[SubscriptionFacts, ...]


class DueDigest(Frozen):
    """A digest that would be sent for `slot`; None as body is silence. `watched` are the plans
    watched in its channel.
    """

    id: str
    slot: str
    body: DigestBody | None
    watched: tuple[WatchedPlan, ...] = ()


class DueBody(Frozen):
    """Every digest that would be sent."""

    due: tuple[DueDigest, ...]


def say_subscriptions(out: Output) -> None:
    """Write which channels have a digest."""
    found = tuple(
        SubscriptionFacts(
            id=key,
            surface=wish.surface,
            channel=wish.channel,
            what=wish.what,
            weekdays=tuple(sorted(wish.rule.weekdays)),
            times=tuple(f"{at:%H:%M}" for at in wish.rule.times),
            zone=wish.zone.key,
            paused_because=paused,
        )
        for key, wish, paused in all_of(_store())
    )
    spoken = out.words()
    if out.json:
        write_json(jsonable(SubscriptionsBody(subscriptions=found), spoken))
        return
    lines = [
        spoken.t(
            "digests.list_line",
            id=one.id,
            surface=one.surface,
            channel=one.channel,
            what=one.what,
            zone=f"{', '.join(one.times)} {one.zone}",
            state=spoken.t("digests.paused_state", reason=one.paused_because)
            if one.paused_because
            else spoken.t("digests.active"),
        )
        for one in found
    ]
    sys.stdout.write("\n".join(lines or [spoken.t("digests.nothing")]) + "\n")


def say_due(at: str, catalog: Path | None, out: Output) -> None:
    """Write what would be sent at the time `at`, without sending or keeping anything."""
    now, store, settings = _moment(at), _store(), answer_settings()
    spoken, found, texts = out.words(), [], []
    for key, wish, paused in all_of(store):
        since = last_dealt_with(store, key)
        slots = () if paused or since is None else due_slots(wish.rule, wish.zone, since, now)
        if not slots:
            continue
        made = content(store, catalog or settings.catalog, 1 / settings.idr_per_usd, key, wish, now)
        bodies = {one.name: one.body for one in (made.card.sections if made.card else ())}
        watched = bodies["watches"].plans if "watches" in bodies else ()
        found.append(
            DueDigest(id=key, slot=slots[-1].key, body=bodies.get("digest"), watched=watched)
        )
        texts.append(spoken.t("digests.due_line", id=key, slot=slots[-1].key) + "\n")
        if made.card is not None:
            texts.append(render(made.card, "console", spoken))
    if out.json:
        write_json(jsonable(DueBody(due=tuple(found)), spoken))
    else:
        sys.stdout.write("".join(texts) or spoken.t("digests.nothing_due", at=at) + "\n")


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadInput("digests.bad_time", typed=text) from None
    if moment.tzinfo is None:
        raise BadInput("digests.bad_time", typed=text)
    return moment


def _store() -> Store:
    url = deployment().database_url
    return open_store(url.get_secret_value() if url is not None else None)
