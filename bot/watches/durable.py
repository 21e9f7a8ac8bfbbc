"""The messages of watches as durable work, each crossing one workflow `watch:ID:N`.

A crossing is in the store before its workflow begins, so a worker that ends between the two leaves
it to the next tick; of two workers that enqueue it the second enqueues nothing. It waits in the
same queue as the digests, in the partition of its channel.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple

from dbos import DBOS, SetEnqueueOptions, SetWorkflowID

from bot.cards.phrases import name
from bot.digests.deliver import Later, Outcome, Refused, Sender, Uncertain, deliver
from bot.digests.durable import MOST_SECONDS, QUEUE, SETTLE_SECONDS
from bot.escaping import discord_text, mrkdwn
from bot.language import words
from bot.store.asked import ChatName
from bot.store.engine import Store
from bot.store.sends import SendState
from bot.store.watches import Watch, dealt_with, find, pause, payload_of, untold
from bot.watches import metrics
from bot.watches.checking import UNREADABLE, Prices, check
from planner.errors import Refusal


class Watching(NamedTuple):
    """What a worker checks and tells watches with."""

    store: Store
    senders: Mapping[ChatName, Sender]
    prices: Prices
    clock: Callable[[], datetime]
    settle_seconds: float = SETTLE_SECONDS


log = logging.getLogger(__name__)

_ESCAPED: Mapping[ChatName, Callable[[str], str]] = {"slack": mrkdwn, "discord": discord_text}
_watching: list[Watching] = []


def tell_with(watching: Watching) -> None:
    """Tell with `watching` from now on; before `start_working`, which goes on with old work."""
    _watching[:] = [watching]


def tick(watching: Watching) -> int:
    """Look at what did not see the newest prices yet and enqueue every crossing that is not told;
    gives how many those are.
    """
    _enqueue(watching)
    try:
        unreadable = check(watching.store, watching.prices, watching.clock())
    except Refusal as refusal:
        log.warning("watches are not looked at (%s)", refusal.note.code)
        unreadable = ()
    for watch in unreadable:
        _apologise(watching, watch, UNREADABLE)
    return _enqueue(watching)


def _enqueue(watching: Watching) -> int:
    waiting = untold(watching.store)
    for crossing in waiting:
        with (
            SetWorkflowID(f"watch:{crossing.key}:{crossing.number}"),
            SetEnqueueOptions(queue_partition_key=f"{crossing.surface}:{crossing.channel}"),
        ):
            DBOS.enqueue_workflow(QUEUE, send_crossing, crossing.key, crossing.number)
    return len(waiting)


@DBOS.workflow(max_recovery_attempts=1000)
async def send_crossing(key: str, number: int) -> SendState | None:
    """Tell one crossing to its end; None where its watch was deleted meanwhile."""
    while True:
        tried = await _try(key, number)
        if tried is None:
            return None
        state, seconds = tried
        if state not in ("waiting", "sending"):
            break
        await DBOS.sleep_async(seconds)
    await _done(key, number)
    return state


@DBOS.step()
async def _try(key: str, number: int) -> tuple[SendState, float] | None:
    """One try, and how long to wait before the next where there is one."""
    return await asyncio.to_thread(_tried, key, number)


@DBOS.step()
async def _done(key: str, number: int) -> None:
    await asyncio.to_thread(dealt_with, _watching[0].store, key, number)


def _tried(key: str, number: int) -> tuple[SendState, float] | None:
    watching = _watching[0]
    watch, payload = find(watching.store, key), payload_of(watching.store, key, number)
    if watch is None or payload is None:
        return None
    outcome = _delivered(watching, watch, key, number, payload)
    metrics.ATTEMPTS.labels(outcome.state).inc()
    match outcome.answer:
        case Later(seconds):
            return outcome.state, min(max(seconds, 0.1), MOST_SECONDS)
        case Refused(reason, True):
            pause(watching.store, key, reason)
            _apologise(watching, watch, reason)
        case Uncertain() if outcome.state == "uncertain":
            _apologise(watching, watch, "uncertain")
    return outcome.state, watching.settle_seconds


def _delivered(watching: Watching, watch: Watch, key: str, number: int, payload: str) -> Outcome:
    sender = watching.senders.get(watch.surface)
    if sender is None:
        return Outcome("refused", Refused("no_token", for_ever=True))
    return deliver(
        watching.store, sender, key, f"watch:{number}", watch.channel, payload,
        watching.clock(), watching.settle_seconds,
    )  # fmt: skip


def _apologise(watching: Watching, watch: Watch, reason: str) -> None:
    sender = watching.senders.get(watch.surface)
    if sender is not None:
        sender.tell(watch.creator, _sorry(watch, reason))


def _sorry(watch: Watch, reason: str) -> str:
    say, what = words(watch.language), _ESCAPED[watch.surface](name(watch.text))
    if reason == "uncertain":
        return say.t("watches.uncertain", what=what)
    if reason == UNREADABLE:
        why = say.t("watches.unreadable")
    else:
        why = say.t("watches.platform_answered", reason=reason)
    return say.t("watches.paused", what=what, reason=why)
