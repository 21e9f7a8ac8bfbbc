"""Words nobody took: which of them are mere talk, and which were not understood."""

from bot.grammar.lexicon import scan
from bot.grammar.tokens import Tokens, without

#: Kinds of words that ask for nothing on their own.
_TALK = (
    "filler", "topic", "aside", "chat", "reason", "price", "compare", "memory_question", "how_many",
    "free", "near", "in_place", "deadline", "rental", "dataset", "budget", "per_hour", "per_gpu",
    "total", "gpu_word", "piece", "number", "host_ram", "command",
)  # fmt: skip


def not_understood(rest: Tokens) -> Tokens:
    """The words that mean nothing here, without those that only surround a question."""
    talk = scan(rest, *_TALK)
    left = without(rest, (token for match in talk for token in match.tokens))
    return tuple(token for token in left if any(map(str.isalnum, token.text)))
