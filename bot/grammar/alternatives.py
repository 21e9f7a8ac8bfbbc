"""Words joined by a slash or a dash: "qwq/qwen", "4090/3090", "qlora-llama-3-8b"."""

import re

from bot.grammar.gpu import is_gpu
from bot.grammar.lexicon import meanings
from bot.grammar.model import is_model_name, is_model_word, is_registered_id
from bot.grammar.numbers import split_number
from bot.grammar.tokens import Tokens, replaced
from planner.notes import Note, note

_DASHES = re.compile(r"[-_]+")
_SIZE = re.compile(r"\d[bB](?![A-Za-z\d])")
_MOST_PARTS = 12


def split_slashes(tokens: Tokens) -> tuple[Tokens, tuple[Note, ...]]:
    """The words beside a slash as words of their own.

    "qwq/qwen 32b" gives one size for two families: the last is taken, with a note.
    """
    words: dict[int, tuple[str, ...]] = {}
    notes: list[Note] = []
    for token in tokens:
        parts = tuple(part for part in token.raw.split("/") if part)
        if not 1 < len(parts) <= _MOST_PARTS or _is_whole(token.raw, parts):
            continue
        if not all(_is_known(part) for part in parts):
            continue
        if all(is_model_name(part) and not _SIZE.search(part) for part in parts):
            notes.append(note("grammar.last_alternative_taken", typed=token.raw, taken=parts[-1]))
            parts = parts[-1:]
        words[token.position] = parts
    return replaced(tokens, words), tuple(notes)


def split_dashes(unknown: Tokens) -> dict[int, tuple[str, ...]]:
    """By position, the parts of unknown words that are known words joined by dashes."""
    found: dict[int, tuple[str, ...]] = {}
    for token in unknown:
        parts = tuple(part for part in _DASHES.split(token.raw) if part)
        known = all(_is_known(part) or split_number(part.lower()) for part in parts)
        if 1 < len(parts) <= _MOST_PARTS and known:
            found[token.position] = parts
    return found


def _is_whole(raw: str, parts: tuple[str, ...]) -> bool:
    """Whether the slash belongs to the word: an address, "24/7", the id of a model."""
    if "://" in raw or meanings(raw) or is_registered_id(raw):
        return True
    owner, name = parts[0], parts[-1]
    is_owner = not _SIZE.search(owner) and not is_gpu(owner) and not _is_method(owner)
    return is_owner and len(parts) == 2 and any(map(str.isdigit, name)) and is_model_name(name)


def _is_method(word: str) -> bool:
    return any(meaning.kind == "method" for meaning in meanings(word))


def _is_known(part: str) -> bool:
    word = part.lower()
    return bool(meanings(word)) or is_gpu(word) or is_model_word(word) or is_model_name(word)
