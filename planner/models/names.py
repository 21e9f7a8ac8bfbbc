"""How model names are compared: one folded form, and what a name says about a copy's weights."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from planner.query import BaseDtype

_URL = re.compile(
    r"^(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co|modelscope\.(?:cn|ai))/(?:models/)?"
    r"([\w.\-]+/[\w.\-]+)",
    re.IGNORECASE,
)
_UNDERSCORE_AS_POINT = re.compile(r"(?<=\d)_(?=\d)")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[\s\-_:]+(?=\d)")
_SEPARATORS = re.compile(r"(?<!\d)[\s\-_:.()]+|[\s\-_:()]+(?!\d)|\.+(?!\d)")
_TOKEN_BREAKS = re.compile(r"[\s\-_:()]+|(?<!\d)\.|\.(?!\d)")
_DATE = re.compile(r"^\d{4}$")

#: Words that name a release of the same weights' shape, not another architecture.
_RELEASE_WORDS = frozenset(
    {"base", "instruct", "inst", "chat", "it", "hf", "pt", "sft", "dpo", "thinking", "think",
     "reasoning", "preview", "meta", "unsloth", "bf16", "fp16", "sharded", "official", "merged"}
)  # fmt: skip
#: Words of weight formats on which none of the planned stacks trains.
_UNTRAINABLE_FORMATS = (
    "awq", "gguf", "ggml", "exl2", "mlx", "nvfp4", "mxfp4", "autoround", "hqq", "aqlm",
    "w4a16", "w8a8", "w8a16",
)  # fmt: skip
_FORMAT_WORDS = frozenset(
    {"gptq", "int4", "int8", "4bit", "8bit", "bnb", "nf4", "fp8", "dynamic", "block", "128g",
     *_UNTRAINABLE_FORMATS}
)  # fmt: skip


class Copy(NamedTuple):
    """A repository name read as a copy: what is left without its weight format, and that format."""

    name: str
    weight_format: str | None
    base_dtype: BaseDtype | None


def strip_url(text: str) -> str:
    """`text` without angle brackets, link label and the hub's address: "org/repo" of a URL."""
    bare = text.strip().strip("<>\"'`").partition("|")[0].strip()
    found = _URL.match(bare)
    return (found.group(1) if found else bare).strip("/")


def normalise(name: str) -> str:
    """The folded form of a name: lower case, separators dropped, one dash kept between two numbers.

    "Llama 3 8B", "llama-3-8b" and "llama3 8b" fold to "llama3-8b"; "Llama-38B" does not.
    """
    folded = name.strip().lower().replace("+", "plus")
    folded = _UNDERSCORE_AS_POINT.sub(".", folded)
    folded = _BETWEEN_DIGITS.sub("\0", folded)
    return _SEPARATORS.sub("", folded).replace("\0", "-")


def normalise_all(names: Iterable[str]) -> list[str]:
    """`normalise` of every name, in one pass: the index folds thousands at the first text."""
    return normalise("|".join(name.strip() for name in names)).split("|")


def tokens(repository: str) -> list[str]:
    """The words of a repository's name, lower case."""
    lowered = _UNDERSCORE_AS_POINT.sub(".", repository.lower())
    return [token for token in _TOKEN_BREAKS.split(lowered) if token]


def stem(repository: str) -> str:
    """The folded name without the words that only name a release (Instruct, base, hf, ...)."""
    return normalise(without_release(repository))


def without_release(repository: str) -> str:
    """A repository's name without the words that only name a release, not folded yet."""
    return "-".join(token for token in tokens(repository) if token not in _RELEASE_WORDS)


def undated(repository: str) -> str:
    """The name without four-digit release dates ("2407", "0324")."""
    return "-".join(token for token in tokens(repository) if not _DATE.match(token))


def release_words(name: str) -> frozenset[str]:
    """The release words a name contains."""
    return _RELEASE_WORDS.intersection(tokens(name))


def read_copy(repository: str) -> Copy:
    """What a repository's name says about its weights ("...-GPTQ", "...-bnb-4bit", "...-FP8")."""
    words = tokens(repository)
    said = [word for word in words if word in _FORMAT_WORDS]
    if not said:
        return Copy(repository, None, None)
    name = "-".join(word for word in words if word not in _FORMAT_WORDS)
    for word in _UNTRAINABLE_FORMATS:
        if word in said:
            return Copy(name, word.upper(), None)
    return Copy(name, "-".join(said).upper(), _base_dtype(said))


def _base_dtype(said: list[str]) -> BaseDtype | None:
    eight_bit = "int8" in said or "8bit" in said
    if "fp8" in said:
        return "fp8"
    if "gptq" in said or "int4" in said or "int8" in said:
        return "gptq-int8" if eight_bit else "gptq-int4"
    if "bnb" in said or "nf4" in said:
        return "int8" if eight_bit else "nf4"
    return None
