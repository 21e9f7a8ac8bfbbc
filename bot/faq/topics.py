"""Which topic a message is about, or none: keeping quiet is the better answer to a guess."""

from bot.faq.model import Guess, shipped

#: A topic is answered where it is at least this likely, and likelier than that none is meant:
#: more where every word of the message has an everyday meaning too ("memory", "spot", "bill").
#: Chosen by cross-validation (bench/faq.py) for at most 3 % answered of what is out of scope.
LEAST_CONFIDENCE = 0.25
LEAST_WITHOUT_ANCHOR = 0.6


def topic_of(guess: Guess) -> str | None:
    """The topic to answer; None where the guess is too weak."""
    least = LEAST_CONFIDENCE if guess.anchored else LEAST_WITHOUT_ANCHOR
    sure = guess.confidence >= least and guess.confidence > guess.outside
    return guess.topic if sure else None


def guess_of(text: str) -> Guess:
    """The likeliest topic of `text` by the shipped model."""
    return shipped().guess(text)
