"""One slot's message: recorded before it goes out, never sent twice."""

from datetime import datetime
from typing import NamedTuple, Protocol

from bot.store.engine import Store
from bot.store.sends import SendState, begun, finish, restart, start

#: How often a slot is tried where the platform keeps saying later.
ATTEMPTS = 8
#: After this long a platform that cannot be asked for a message is not asked again.
ASKING_SECONDS = 3600.0


class Sent(NamedTuple):
    """The platform took the message and gave it this id."""

    message: str


class Absent(NamedTuple):
    """The platform does not have the message, or takes it a second time without showing it."""


class Uncertain(NamedTuple):
    """The connection ended before the answer: the platform may have the message."""


class Refused(NamedTuple):
    """The platform does not take it; `for_ever` where no later message has a chance either."""

    reason: str
    for_ever: bool


class Later(NamedTuple):
    """The platform asks to come back after `seconds`; it did not take the message."""

    seconds: float


Answer = Sent | Uncertain | Refused | Later


class Sender(Protocol):
    """A platform as a digest sees it."""

    def send(self, channel: str, payload: str, key: str) -> Answer:
        """Post `payload`; `key` marks the message, so that it can be found again."""

    def find(self, channel: str, key: str, seconds: float) -> Sent | Absent | Uncertain | Later:
        """The message marked `key`, whose sending began `seconds` ago; Uncertain where it may not
        be looked for.
        """

    def tell(self, person: str, text: str) -> None:
        """Write to `person` alone; a platform that does not take it is left in peace."""


class Outcome(NamedTuple):
    """What became of a slot; `answer` is the platform's, None where nothing was asked of it."""

    state: SendState
    answer: Answer | None


def deliver(
    store: Store, sender: Sender, subscription: str, slot: str, channel: str, payload: str,
    now: datetime, settle_seconds: float = 0.0,
) -> Outcome:  # fmt: skip
    """Send the message of `slot`, unless it is dealt with.

    A slot found `sending` was left by a process that ended or lost its answer: the platform is
    asked for the message. Where it says that it has none the message goes out again; where it
    cannot say so the slot ends `uncertain`. It is not asked before `settle_seconds` have passed.
    The caller runs one delivery of a slot at a time.
    """
    was = start(store, subscription, slot, now)
    if was not in (None, "waiting", "sending"):
        return Outcome(was, None)
    key = f"{subscription}:{slot}"
    answer: Answer | Absent = Absent()
    if was == "sending":
        began, _ = begun(store, subscription, slot)
        seconds = (now - began).total_seconds()
        if seconds < settle_seconds:
            return Outcome("sending", Later(settle_seconds - seconds))
        answer = sender.find(channel, key, seconds)
        if isinstance(answer, Later):
            if seconds < ASKING_SECONDS:
                return Outcome("sending", answer)
            answer = Uncertain()
        if isinstance(answer, Absent):
            restart(store, subscription, slot, now)
    if isinstance(answer, Absent):
        answer = sender.send(channel, payload, key)
        if isinstance(answer, Uncertain):
            return Outcome("sending", answer)
    state = _state(answer, begun(store, subscription, slot)[1])
    message = answer.message if isinstance(answer, Sent) else ""
    finish(store, subscription, slot, state, now, message)
    return Outcome(state, answer)


def _state(answer: Answer, attempts: int) -> SendState:
    match answer:
        case Sent():
            return "sent"
        case Uncertain():
            return "uncertain"
        case Refused():
            return "refused"
        case Later():
            return "waiting" if attempts < ATTEMPTS else "gave_up"
