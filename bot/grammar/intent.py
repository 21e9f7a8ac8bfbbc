"""What a message wants: one command, from the words in it and from what it names."""

import re
from typing import NamedTuple

from bot.grammar.command import CommandName
from bot.grammar.lexicon import fold, phrases_of, scan
from bot.grammar.tokens import Tokens
from planner.errors import BadInput

#: What a refused command shows as a command that works.
EXAMPLE = "/fit llama-3.1-8b qlora on 1x RTX-4090"
_NAME_OF_THE_BOT = "muat"
_HELP_ALONE = 2
_MODEL_SHAPED = re.compile(
    r"^(?=[^/]*[A-Za-z])[\w.-]+/(?=.*[A-Za-z])(?=.*[\d-])[\w.-]+$|^(?=[A-Za-z]{2})[\w.-]*\d[bB](?![A-Za-z\d])[\w.-]*$"
)


class Typed(NamedTuple):
    """The command typed at the start, and the tokens left."""

    command: CommandName | None
    rest: Tokens


class Named(NamedTuple):
    """What a message names, as far as the choice of a command depends on it."""

    models: int
    is_size_only: bool
    gpus: int
    providers: int
    methods: int
    trains: bool
    has_closed_model: bool
    has_vram: bool
    has_limit: bool


def read_command(tokens: Tokens, typed_slash: bool) -> Typed:
    """A command word at the start; BadInput with a suggestion for an unknown one behind a slash."""
    if not tokens:
        return Typed(None, tokens)
    first = tokens[0].text.lstrip("/")
    rest = tokens[1:]
    if first == _NAME_OF_THE_BOT and rest and _command(rest[0].text):
        return read_command(rest, False)
    command = _command(first)
    if command == "explain" and not typed_slash:
        return Typed(None, tokens)
    if command and len(rest) == 1 and _command(rest[0].text) == "help":
        return Typed("help", ())
    if command == "help" and not typed_slash and len(tokens) > _HELP_ALONE:
        return Typed(None, tokens)
    if command is None and typed_slash and first != _NAME_OF_THE_BOT:
        raise _unknown(tokens[0].raw, first)
    return Typed(command, rest if command or typed_slash else tokens)


def _command(word: str) -> CommandName | None:
    found = phrases_of("command").get(fold(word))
    commands: dict[str, CommandName] = {
        "fit": "fit", "prices": "prices", "compare": "compare", "recipe": "recipe",
        "watch": "watch", "digest": "digest", "ask": "ask", "help": "help", "explain": "explain",
    }  # fmt: skip
    return commands.get(found or "")


def _unknown(raw: str, first: str) -> BadInput:
    from rapidfuzz import process

    known = tuple(dict.fromkeys(phrases_of("command").values()))
    near = process.extractOne(first, known)
    return BadInput(
        "grammar.unknown_command", typed=raw, nearest="/" + (near[0] if near else "fit"),
        example=EXAMPLE,
    )  # fmt: skip


def decide(tokens: Tokens, named: Named) -> CommandName:
    """The command of a message that does not begin with one.

    A price to be told of ("tell us when ... under $40") is `watch`; reasons and ways are `ask`;
    things to weigh are `compare`; a model to train is `fit`, priced or not; cards and providers
    alone are `prices`; other questions in the vocabulary are `ask`; the rest is `unknown`.
    """
    if named.has_limit and (named.models or named.gpus) and scan(tokens, "told_when"):
        return "watch"
    found = scan(tokens, "reason", "price", "compare", "topic", "need", "memory_question")
    kinds = {match.meaning.kind for match in found}
    kinds |= {"topic"} if "need" in kinds else set()
    reasons = {match.meaning.value for match in found if match.meaning.kind == "reason"}
    names_any = bool(named.models or named.gpus or named.providers or named.methods)
    if named.has_closed_model:
        return "ask"
    if "strong" in reasons and (names_any or "topic" in kinds or "price" in kinds):
        return "ask"
    if "strong" in reasons:
        return "unknown"
    if "definition" in reasons and not (named.models or kinds & {"price", "memory_question"}):
        return "ask" if names_any or "topic" in kinds else "unknown"
    if max(named.gpus, named.providers, named.models) > 1:
        return "compare"
    if named.models and not named.is_size_only:
        return "fit"
    if "weak" in reasons and (names_any or "topic" in kinds):
        return "fit" if named.models and (named.trains or named.gpus) else "ask"
    if named.models or "memory_question" in kinds:
        return "fit"
    return _without_model(named, kinds)


def _without_model(named: Named, kinds: set[str]) -> CommandName:
    if "price" in kinds and (named.gpus or named.providers or "topic" in kinds):
        return "prices"
    if named.methods or named.trains:
        return "fit"
    if named.gpus or named.providers or "price" in kinds:
        return "prices"
    if named.has_vram:
        return "fit"
    return "ask" if "topic" in kinds else "unknown"


def is_model_shaped(raw: str) -> bool:
    """Whether an unknown word can only be a model: a hub id, or a name that ends in a size."""
    return _MODEL_SHAPED.match(raw) is not None
