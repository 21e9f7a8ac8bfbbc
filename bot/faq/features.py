"""A text as sparse features: words, pairs of words and the letters of words.

Pieces of words carry typos and affixes that the lists here do not know; words and pairs carry the
meaning.
"""

import math
import re
import zlib
from functools import cache
from itertools import pairwise

from planner.data_files import read_rows

#: Weights lie in a table of this many rows; features share a row by the hash of their name.
BUCKETS = 1 << 14
_WORD = re.compile(r"(?:[a-z]+\d|\d+[a-z])[a-z\d]*|[a-z]+|\d+")
_REPEATED = re.compile(r"(.)\1{2,}")
_SHORTEST_STEM = 4
_PREFIXES = ("meng", "meny", "mem", "men", "peng", "pem", "pen", "per", "ber", "ter", "ng", "di")
_SUFFIXES = ("nya", "kan", "an", "ing", "ed", "es", "s", "lah", "kah")
_PIECES = (3, 4)
_LETTER_SHARE = 0.7
_CONCEPT_SHARE = 1.5


def tokens(text: str) -> list[str]:
    """The words of `text`: lower case, slang spelt out, repeated letters and affixes taken off."""
    spelt = slang()
    found: list[str] = []
    for raw in _WORD.findall(_REPEATED.sub(r"\1", text.lower())):
        found.extend(spelt.get(raw, raw).split())
    return [stem(word) for word in found]


def stem(word: str) -> str:
    """`word` without one light Indonesian or English affix at each end."""
    if len(word) <= _SHORTEST_STEM or not word.isalpha():
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            word = word.removesuffix(suffix)
            break
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= _SHORTEST_STEM:
            return word.removeprefix(prefix)
    return word


@cache
def slang() -> dict[str, str]:
    """What a short or colloquial form stands for."""
    return {row["typed"]: row["means"] for row in read_rows("bot.faq", "slang.csv")}


@cache
def concepts() -> dict[str, tuple[str, ...]]:
    """What a stemmed word is about, in either language."""
    found: dict[str, tuple[str, ...]] = {}
    for row in read_rows("bot.faq", "concepts.csv"):
        for word in row["words"].split():
            for one in tokens(word):
                found[one] = tuple(dict.fromkeys((*found.get(one, ()), row["concept"])))
    return found


def is_about(text: str, *wanted: str) -> bool:
    """Whether a word of `text` is of one of the `wanted` concepts."""
    return any(one in wanted for word in tokens(text) for one in concepts().get(word, ()))


def features(text: str) -> dict[int, float]:
    """Weights by bucket, of length one over all."""
    typed = tokens(text)
    words = ["#" if word.isdigit() else word for word in typed]
    counted: dict[int, float] = {}
    for name in (*words, *(f"{a} {b}" for a, b in pairwise(words))):
        _add(counted, f"w:{name}", 1.0)
    for word in words:
        pieces = _pieces(word)
        for piece in pieces:
            _add(counted, f"c:{piece}", _LETTER_SHARE / math.sqrt(len(pieces)))
    for concept in {meaning for word in typed for meaning in concepts().get(word, ())}:
        _add(counted, f"k:{concept}", _CONCEPT_SHARE)
    length = math.sqrt(sum(value * value for value in counted.values())) or 1.0
    return {bucket: value / length for bucket, value in counted.items()}


def _pieces(word: str) -> list[str]:
    framed = f"<{word}>"
    return [framed[at : at + size] for size in _PIECES for at in range(len(framed) - size + 1)]


def _add(counted: dict[int, float], name: str, value: float) -> None:
    bucket = zlib.crc32(name.encode()) % BUCKETS
    counted[bucket] = counted.get(bucket, 0.0) + value
