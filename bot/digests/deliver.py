"""One slot's message: recorded before it goes out, never sent twice."""

from datetime import datetime
from typing import NamedTuple, Protocol

from sqlalchemy import Engine

from bot.store.sends import SendState, finish, start


class Sent(NamedTuple):
    """The platform took the message and gave it this id."""

    message: str


class Uncertain(NamedTuple):
    """The connection ended before the answer: the platform may have the message."""


class Refused(NamedTuple):
    """The platform does not take it; `for_ever` where no later message has a chance either."""

    reason: str
    for_ever: bool


class Later(NamedTuple):
    """The platform asks to come back after `seconds`; it did not take the message."""

    seconds: float


class Sender(Protocol):
    """A platform as a digest sees it."""

    def send(self, channel: str, payload: str, key: str) -> Sent | Uncertain | Refused | Later:
        """Post `payload`; `key` marks the message, so that it can be found again."""

    def find(self, channel: str, key: str) -> Sent | Uncertain:
        """The message marked `key`; Uncertain where it is not found or may not be looked for."""


class Outcome(NamedTuple):
    """What became of a slot; `answer` is the platform's, None where nothing was asked of it."""

    state: SendState
    answer: Sent | Uncertain | Refused | Later | None


def deliver(
    store: Engine, sender: Sender, subscription: str, slot: str, channel: str, payload: str,
    now: datetime,
) -> Outcome:  # fmt: skip
    """Send the message of `slot`, unless it is dealt with.

    A slot found `sending` was left by a process that ended: the platform is asked for the message,
    and where it does not show it the slot ends `uncertain`; it is not sent again. The caller runs
    one delivery of a slot at a time.
    """
    was = start(store, subscription, slot, now)
    if was not in (None, "waiting", "sending"):
        return Outcome(was, None)
    key = f"{subscription}:{slot}"
    answer: Sent | Uncertain | Refused | Later = Uncertain()
    if was != "sending":
        answer = sender.send(channel, payload, key)
    if isinstance(answer, Uncertain):
        answer = sender.find(channel, key)
    state = _state(answer)
    message = answer.message if isinstance(answer, Sent) else ""
    finish(store, subscription, slot, state, now, message)
    return Outcome(state, answer)


def _state(answer: Sent | Uncertain | Refused | Later) -> SendState:
    match answer:
        case Sent():
            return "sent"
        case Uncertain():
            return "uncertain"
        case Refused():
            return "refused"
        case Later():
            return "waiting"
