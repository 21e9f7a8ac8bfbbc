"""Words nobody took: which of them are mere talk, and which were not understood."""

import re
from typing import NamedTuple

from bot.grammar.lexicon import scan
from bot.grammar.tokens import Token, Tokens, joined, without

#: Kinds of words that ask for nothing on their own.
_TALK = (
    "filler", "topic", "aside", "chat", "reason", "price", "compare", "memory_question", "how_many",
    "free", "near", "in_place", "deadline", "rental", "dataset", "budget", "per_hour", "per_gpu",
    "total", "gpu_word", "piece", "number", "host_ram", "command",
)  # fmt: skip

#: What only a card is called: a series and a number, or four digits such as 4070.
_SERIES = r"(?:rtx|gtx|rx|mi|gh|gb|[abhlpvt])"
_CARD = re.compile(rf"^(?:{_SERIES}-?\d{{2,4}}|[1-9]0[5-9]0)(?:ti|super|s|xt|xtx|x)?$")
_MAKES = frozenset({"rtx", "gtx", "rx", "geforce", "radeon", "instinct", "nvidia", "amd"})


class Left(NamedTuple):
    """The cards nobody knows, as typed, and the words that are nothing known."""

    cards: tuple[str, ...]
    words: Tokens


def unknown_cards(left: Tokens) -> Left:
    """The left words parted into what must be a card ("rtx 7090") and the rest."""
    cards: list[str] = []
    words: list[Token] = []
    make: list[Token] = []
    for token in left:
        if token.text in _MAKES:
            make.append(token)
        elif _CARD.match(token.text):
            cards.append(joined((*make, token)))
            make = []
        else:
            words += [*make, token]
            make = []
    return Left(tuple(cards), (*words, *make))


def not_understood(rest: Tokens) -> Tokens:
    """The words that mean nothing here, without those that only surround a question."""
    talk = scan(rest, *_TALK)
    left = without(rest, (token for match in talk for token in match.tokens))
    return tuple(token for token in left if any(map(str.isalnum, token.text)))
