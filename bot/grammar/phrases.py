"""What fixed phrases say: method, market, needs and the other estimate keys."""

from typing import NamedTuple, cast, get_args

from bot.grammar.lexicon import Match, scan
from bot.grammar.tokens import Tokens, joined, without
from planner.notes import Note, note
from planner.query import Market, Method, Need

_KINDS = ("method", "method_unsupported", "market", "need", "training", "finetune", "target")


class Phrases(NamedTuple):
    """Methods and needs named, the market, the estimate keys as text, what a recipe is for, and the
    tokens left.
    """

    methods: tuple[Method, ...]
    market: Market | None
    needs: tuple[Need, ...]
    training: dict[str, str]
    says_finetune: bool
    target: str | None
    notes: tuple[Note, ...]
    rest: Tokens


def read_phrases(tokens: Tokens) -> Phrases:
    """Every phrase with a fixed meaning, the longest first."""
    found = scan(tokens, *_KINDS)
    values = {kind: [m for m in found if m.meaning.kind == kind] for kind in _KINDS}
    markets = set(_values(values["market"]))
    training = dict(value.split("=", 1) for value in reversed(_values(values["training"])))
    unsupported = tuple(joined(match.tokens) for match in values["method_unsupported"])
    said = note("grammar.method_not_supported", methods=unsupported, known=get_args(Method))
    return Phrases(
        methods=cast("tuple[Method, ...]", tuple(dict.fromkeys(_values(values["method"])))),
        market=cast("Market", markets.pop()) if len(markets) == 1 else None,
        needs=cast("tuple[Need, ...]", tuple(dict.fromkeys(_values(values["need"])))),
        training=training,
        says_finetune=bool(values["finetune"]),
        target=next(iter(_values(values["target"])), None),
        notes=(said,) if unsupported else (),
        rest=without(tokens, (token for match in found for token in match.tokens)),
    )


def _values(matches: list[Match]) -> list[str]:
    return [match.meaning.value for match in matches]
