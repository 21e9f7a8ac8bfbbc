"""`key=value` and `--key value`: the keys of the command and of the estimator, by many names."""

import re
from typing import Any, NamedTuple

from bot.grammar.money import read_amount
from bot.grammar.normalise import spaced
from bot.grammar.values import LARGEST, Pair, find_key, read_value, yes_or_no
from planner.errors import BadInput
from planner.notes import Note
from planner.query import Tuning

_CHUNK = re.compile(r'[^\s="]+="[^"]*"|"[^"]*"|\S+')
_KEY_VALUE = re.compile(r'^(?:--?)?([A-Za-z][\w.-]*)=("[^"]*"|.*)$', re.DOTALL)
#: Methods whose names mean something else on their own, as the words that mean the method.
_METHOD_WORDS = {"prefix": "prefix tuning", "prompt": "prompt tuning"}
_FLAG = re.compile(r"^--([A-Za-z][\w-]*)$")


class Keys(NamedTuple):
    """What the keys say, the words left (values of word keys among them), and those word keys."""

    values: dict[str, Any]
    training: dict[str, Any]
    words: tuple[Pair, ...]
    notes: tuple[Note, ...]
    rest: str


def read_keys(text: str, language: str, usd_per_idr: float) -> Keys:
    """Every key and value taken out of a normalised text; BadInput for an unknown one."""
    pairs, rest = _pairs(text)
    values: dict[str, Any] = {}
    training: dict[str, Any] = {}
    words: list[Pair] = []
    notes: list[Note] = []
    for pair in pairs:
        if pair.read_as == "words":
            words.append(pair)
            continue
        if pair.read_as.startswith("money"):
            key, value, said = _money(pair, language, usd_per_idr)
            notes.extend(said)
        else:
            key, value = pair.key, read_value(pair)
        (training if key in Tuning.model_fields else values)[key] = value
    return Keys(values, training, tuple(words), tuple(notes), rest)


def split_chunks(text: str) -> tuple[str, ...]:
    """The words of a text; a value in quotes stays one with its key."""
    return tuple(chunk.replace('"', "") for chunk in _CHUNK.findall(text))


def _pairs(text: str) -> tuple[list[Pair], str]:
    """The keys in a text and the text without them; values made of words stay where they stood."""
    chunks = _CHUNK.findall(text)
    pairs: list[Pair] = []
    rest: list[str] = []
    index = 0
    while index < len(chunks):
        chunk = chunks[index]
        index += 1
        inline, flag = _KEY_VALUE.match(chunk), _FLAG.match(chunk)
        if inline is None and flag is None:
            rest.append(chunk)
            continue
        typed = inline[1] if inline else flag[1] if flag else ""
        pair = find_key(typed)
        if inline:
            value = inline[2]
        elif index < len(chunks) and _is_value(pair, chunks[index]):
            value = chunks[index]
            index += 1
        else:
            value = "true" if pair.read_as == "yes_no" else ""
        pair = _as_words(pair._replace(value=value.strip('"').rstrip(",;")))
        pairs.append(pair)
        if pair.read_as == "words":
            rest.append(spaced(pair.value))
    return pairs, " ".join(rest)


def _is_value(pair: Pair, chunk: str) -> bool:
    """Whether the chunk after `--key` is its value: a yes-or-no key takes only yes or no."""
    if chunk.startswith("--"):
        return False
    return pair.read_as != "yes_no" or yes_or_no(chunk.lower()) is not None


def _as_words(pair: Pair) -> Pair:
    """`gpus=2x4090` names cards, `spot=true` a market."""
    if pair.key == "gpu_count" and not pair.value.isdigit():
        return pair._replace(key="gpu", read_as="words")
    if pair.key == "method":
        return pair._replace(value=_METHOD_WORDS.get(pair.value.lower(), pair.value))
    if pair.key == "spot":
        wanted = read_value(pair)
        return Pair(pair.typed, "market", "words", "spot" if wanted else "on-demand")
    return pair


def _money(pair: Pair, language: str, usd_per_idr: float) -> tuple[str, float, tuple[Note, ...]]:
    period = {"money_per_hour": "hour", "money_total": "total"}.get(pair.read_as)
    reading = read_amount(pair.value, language, usd_per_idr, period)
    if reading is None or not 0 < reading.usd < LARGEST:
        raise BadInput("grammar.not_an_amount", key=pair.typed, value=pair.value or "?")
    key = "max_usd_per_hour" if reading.limit == "hour" else "max_usd_total"
    return key, reading.usd, reading.notes
