"""How many GPUs in all, where a text names nodes beside them: "4 nodes of 8x H100" are 32."""

from typing import NamedTuple

from bot.grammar.gpu import is_gpu
from bot.grammar.lexicon import match_at, match_before, phrases_of
from bot.grammar.tokens import Tokens
from planner.notes import Note, note


class Spread(NamedTuple):
    """GPUs over all nodes, and how that was read."""

    gpu_count: int
    said: Note


def spread(everything: Tokens, count: int, nodes: int) -> Spread:
    """`count` GPUs over `nodes` nodes ("16x H100 on 2 nodes"), or in each of them."""
    if count % nodes == 0 and _stands_over_nodes(everything):
        each = count // nodes
        said = note("grammar.gpus_over_nodes", total=count, count=each, nodes=nodes)
        return Spread(count, said)
    total = count * nodes
    return Spread(total, note("grammar.gpus_per_node", total=total, count=count, nodes=nodes))


def _stands_over_nodes(everything: Tokens) -> bool:
    """Whether "on" or "across" stands before the number of nodes, and no card behind it."""
    words = {word for word, field in phrases_of("after").items() if field == "nodes"}
    for at in range(1, len(everything)):
        number = everything[at - 1]
        if everything[at].text in words and number.text.isdecimal():
            before = match_before(everything, number, "over_nodes")
            return before is not None and not _names_cards(everything, at + 1)
    return False


def _names_cards(everything: Tokens, start: int) -> bool:
    behind = range(start, len(everything))
    return any(is_gpu(everything[at].text) or match_at(everything, at, "gpu_word") for at in behind)
