"""Deliveries as durable work: one workflow for each slot, whichever worker ends and wherever.

Every worker looks once a minute which slots are due and enqueues each under the id
`subscription:slot`; the second to do so enqueues nothing. A queue partition for each channel sends
one message at a time, in order. A worker that ends leaves its workflows to the next process with
its executor id, so each worker has one of its own that stays; the application version is pinned,
so that a deploy goes on with what the one before began.

Workflows are coroutines, as one may wait an hour for its platform: a process that ends breaks off
the wait of a coroutine, but would sit out that of a thread.
"""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple

from dbos import DBOS, DBOSConfig, SetEnqueueOptions, SetWorkflowID
from sqlalchemy import make_url

from bot.digests import metrics
from bot.digests.deliver import Later, Outcome, Refused, Sender, Uncertain, deliver
from bot.store.asked import ChatName
from bot.store.engine import Store
from bot.store.sends import SendState, withhold
from bot.store.subscriptions import (
    Subscription,
    active,
    done_until,
    find,
    is_queued,
    newest_due,
    pause,
    wanted,
)

#: Raised only when a workflow of the old code could not go on under the new one.
APPLICATION_VERSION = "digests-1"
QUEUE = "digests"
#: What the name of a slot beside the schedule begins with.
_EXTRA = "now-"
#: How long after a lost answer the platform is asked for the message.
SETTLE_SECONDS = 5.0
#: A server's delay is honoured up to here.
MOST_SECONDS = 3600.0


class Composed(NamedTuple):
    """The message of a slot (None is silence), and what to keep of it once it is sent."""

    payload: str | None
    told: str


class Work(NamedTuple):
    """What a worker delivers with. `compose` is given a subscription's id, itself and the slot.
    `sorry` says in the creator's language why a digest is paused or uncertain.
    """

    store: Store
    senders: Mapping[ChatName, Sender]
    compose: Callable[[str, Subscription, str], Composed]
    keep: Callable[[str, str], None]
    sorry: Callable[[Subscription, str], str]
    clock: Callable[[], datetime]
    settle_seconds: float = SETTLE_SECONDS


_work: list[Work] = []


def start_working(work: Work, database_url: str, worker_id: str) -> None:
    """Go on with what this worker left and take new work from the queue."""
    _work[:] = [work]
    config: DBOSConfig = {
        "name": "muat",
        "system_database_url": beside(database_url),
        "executor_id": worker_id,
        "application_version": APPLICATION_VERSION,
        "log_level": "WARNING",
    }
    DBOS(config=config)
    DBOS.launch()
    DBOS.register_queue(QUEUE, partition_concurrency=1, polling_interval_sec=0.5)


def stop_working() -> None:
    """Take no more work; what has begun is gone on with after the next start."""
    DBOS.destroy()


def beside(database_url: str) -> str:
    """The database of DBOS's own, beside the team's state."""
    url = make_url(database_url)
    name = url.database or ""
    if url.get_backend_name() == "sqlite":
        own = name.removesuffix(".sqlite") + "-work.sqlite"
    else:
        own = name + "_work"
    return url.set(database=own).render_as_string(hide_password=False)


def go_on_with(worker_id: str) -> None:
    """Put what the worker of this name had begun back into the queue, for whichever is alive."""
    # DBOS offers this to its own control plane alone; everything public loses the channel's order.
    DBOS._recover_pending_workflows([worker_id])


def tick(work: Work) -> int:
    """Enqueue the newest due slot of every subscription, and what was asked for beside the slots;
    gives how many were due.
    """
    now, due = work.clock(), 0
    for key, wish in active(work.store).items():
        slot = newest_due(work.store, key, now)
        if slot is not None:
            due += 1
            _enqueue(key, wish, slot.key, slot.at)
    for key, wish, wanted_at in wanted(work.store):
        due += 1
        _enqueue(key, wish, f"{_EXTRA}{wanted_at:%Y%m%dT%H%M%S}", wanted_at)
        is_queued(work.store, key, wanted_at)
    metrics.DUE.inc(due)
    return due


def is_extra(slot: str) -> bool:
    """Whether `slot` is none of the schedule's: somebody asked for a digest at once."""
    return slot.startswith(_EXTRA)


def _enqueue(key: str, wish: Subscription, slot: str, at: datetime) -> None:
    with (
        SetWorkflowID(f"{key}:{slot}"),
        SetEnqueueOptions(queue_partition_key=f"{wish.surface}:{wish.channel}"),
    ):
        DBOS.enqueue_workflow(QUEUE, send_slot, key, slot, at.isoformat())


@DBOS.workflow(max_recovery_attempts=1000)
async def send_slot(key: str, slot: str, at: str) -> SendState | None:
    """Deliver one slot to its end; None where its subscription was deleted meanwhile."""
    composed = await _compose(key, slot)
    if composed is None:
        return None
    payload, told = composed
    while True:
        state, seconds = await _attempt(key, slot, at, payload)
        if state not in ("waiting", "sending"):
            break
        await DBOS.sleep_async(seconds)
    await _settle(key, slot, at, state, told)
    return state


@DBOS.step()
async def _compose(key: str, slot: str) -> tuple[str | None, str] | None:
    return await asyncio.to_thread(_composed, key, slot)


@DBOS.step()
async def _attempt(key: str, slot: str, at: str, payload: str | None) -> tuple[SendState, float]:
    """One try, and how long to wait before the next where there is one."""
    return await asyncio.to_thread(_tried, key, slot, at, payload)


@DBOS.step()
async def _settle(key: str, slot: str, at: str, state: SendState, told: str) -> None:
    """The slot is dealt with; what was said in it is what the next one is compared with. One beside
    the slots leaves those as they are.
    """
    await asyncio.to_thread(_settled, key, slot, at, state, told)


def _composed(key: str, slot: str) -> tuple[str | None, str] | None:
    work = _work[0]
    wish = find(work.store, key)
    if wish is None:
        return None
    payload, told = work.compose(key, wish, slot)
    return payload, told


def _tried(key: str, slot: str, at: str, payload: str | None) -> tuple[SendState, float]:
    work = _work[0]
    wish, now = find(work.store, key), work.clock()
    if payload is None or wish is None:
        return withhold(work.store, key, slot, now), 0.0
    sender = work.senders.get(wish.surface)
    outcome = (
        Outcome("refused", Refused("no_token", for_ever=True))
        if sender is None
        else deliver(work.store, sender, key, slot, wish.channel, payload, now, work.settle_seconds)
    )
    metrics.count(outcome.state, (now - datetime.fromisoformat(at)).total_seconds())
    match outcome.answer:
        case Later(seconds):
            return outcome.state, min(max(seconds, 0.1), MOST_SECONDS)
        case Refused(reason, True):
            pause(work.store, key, reason)
            _apologise(work, wish, reason)
        case Uncertain() if outcome.state == "uncertain":
            _apologise(work, wish, "uncertain")
    return outcome.state, work.settle_seconds


def _settled(key: str, slot: str, at: str, state: SendState, told: str) -> None:
    work = _work[0]
    if state in ("sent", "uncertain"):
        work.keep(key, told)
    if not is_extra(slot):
        done_until(work.store, key, datetime.fromisoformat(at))


def _apologise(work: Work, wish: Subscription, reason: str) -> None:
    sender = work.senders.get(wish.surface)
    if sender is not None:
        sender.tell(wish.creator, work.sorry(wish, reason))
