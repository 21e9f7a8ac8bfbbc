"""Which topic a message is about, or none: keeping quiet is the better answer to a guess."""

from bot.faq.model import Guess, shipped

#: A topic is answered where it is at least this likely, and likelier than that none is meant:
#: chosen by cross-validation (bench/faq.py) so that at most 3 % of what is out of scope is
#: answered.
LEAST_CONFIDENCE = 0.34


def topic_of(guess: Guess) -> str | None:
    """The topic to answer; None where the guess is too weak."""
    sure = guess.confidence >= LEAST_CONFIDENCE and guess.confidence > guess.outside
    return guess.topic if sure else None


def guess_of(text: str) -> Guess:
    """The likeliest topic of `text` by the shipped model."""
    return shipped().guess(text)
