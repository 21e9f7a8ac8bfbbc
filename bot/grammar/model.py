"""Which model: names, aliases, hub ids, names whose size stands elsewhere, and bare sizes."""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from bot.grammar.gpu import is_gpu
from bot.grammar.intent import is_model_shaped
from bot.grammar.lexicon import REMEMBERED, fold, meanings, phrases_of
from bot.grammar.tokens import Token, Tokens, is_spread, joined, runs, without
from planner.data_files import read_rows
from planner.errors import BadInput
from planner.models import registry
from planner.models.architecture import Architecture
from planner.models.names import normalise, read_copy, stem
from planner.notes import Note, note
from planner.query import BaseDtype

_LONGEST_NAME = 7
_SIZE = re.compile(r"^(\d{1,4}(?:\.\d{1,3})?)(b|m)$")
_HUB_ID = re.compile(r"^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$")
_ATOMS = re.compile(r"\d+(?:\.\d+)?[bm](?![a-z])|[a-z]+|\d+(?:\.\d+)?")
_SAID = frozenset({"method", "method_unsupported", "training", "market", "finetune", "need"})
_BILLION = 1e9
_MILLION = 1e6


class Models(NamedTuple):
    """The models a text names, what to say about the reading, and the tokens left.

    `of_the_hub` are ids that the registry does not know.
    """

    models: tuple[Architecture, ...]
    implied_base_dtype: BaseDtype | None
    notes: tuple[Note, ...]
    rest: Tokens
    is_size_only: bool = False
    of_the_hub: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all models named, those that only the hub may know included."""
        return (*(model.hf_id for model in self.models), *self.of_the_hub)


class _Named(NamedTuple):
    typed: str
    tokens: Tokens


def read_models(tokens: Tokens, parameters: float | None = None) -> Models:
    """Every model named; a bare size ("13b", or `parameters` written out) only where no name is."""
    named, tokens = _names(tokens)
    if not named:
        return _bare_size(tokens, parameters)
    found: list[registry.Resolved] = []
    notes: list[Note] = []
    for one in named:
        resolved, tokens = _completed(one, tokens, only=len(named) == 1)
        if resolved.architecture.hf_id not in [r.architecture.hf_id for r in found]:
            found.append(resolved)
            notes.extend(resolved.notes)
    dtype = found[0].implied_base_dtype if len(found) == 1 else None
    return Models(tuple(r.architecture for r in found), dtype, tuple(notes), tokens)


def hub_ids(unknown: Tokens, is_asked_for: bool) -> Tokens:
    """The words that name a model only the hub may know, among those nobody understood.

    A word counts that can be nothing but a model; where a model `is_asked_for` ("model=", "/fit"),
    else the first that is shaped like an id.
    """
    shaped = tuple(token for token in unknown if is_hub_id(token.raw))
    surely = tuple(token for token in shaped if is_model_shaped(token.raw))
    return surely or (shaped[:1] if is_asked_for else ())


def with_hub_ids(found: Models, named: Tokens) -> Models:
    """`found` with ids that the registry does not know, and a note for each."""
    ids = tuple(dict.fromkeys(token.raw for token in named))
    said = tuple(note("models.from_hub", model=hf_id) for hf_id in ids)
    return found._replace(of_the_hub=ids, notes=(*found.notes, *said))


def is_model_word(word: str) -> bool:
    """Whether a word occurs in the name of a model ("distill", "coder", "llama")."""
    return word in _vocabulary()


def is_model_name(word: str) -> bool:
    """Whether a word alone names a model; a bare size does not."""
    return not _is_never_a_name(word.lower()) and not is_gpu(word) and _is_known(word)


def is_registered_id(word: str) -> bool:
    """Whether a word is the id of a model as the hub writes it, in any case."""
    return word.lower() in _registered_ids()


@cache
def _registered_ids() -> frozenset[str]:
    return frozenset(hf_id.lower() for hf_id in registry.every_id())


@cache
def model_words() -> frozenset[str]:
    """The words of letters that occur in names and aliases of models."""
    return frozenset(word for word in _vocabulary() if word.isalpha() and len(word) > 3)


@cache
def _vocabulary() -> frozenset[str]:
    names = [*registry.every_id(), *registry.alias_index()]
    return frozenset(atom for name in names for atom in _ATOMS.findall(name.lower()))


def _names(tokens: Tokens) -> tuple[tuple[_Named, ...], Tokens]:
    """The longest names, from left to right; sizes alone and names of cards are not names."""
    found: list[_Named] = []
    index = 0
    while index < len(tokens):
        named = _name_at(tokens, index)
        if named is None:
            index += 1
            continue
        found.append(named)
        tokens = without(tokens, named.tokens)
    return tuple(found), tokens


def _name_at(tokens: Tokens, index: int) -> _Named | None:
    if _is_copy_or_hub_id(tokens[index].raw):
        return _Named(tokens[index].raw, tokens[index : index + 1])
    for part in runs(tokens, index, _LONGEST_NAME):
        words = [token.text for token in part]
        typed = " ".join(words)
        if len(part) == 1 and _is_never_a_name(words[0]):
            continue
        if len(part) > 1 and (is_spread(words) or _is_said(words[0]) or _is_said(words[-1])):
            continue
        if _is_known(typed) and not is_gpu(typed):
            return _Named(joined(part), part)
    return None


@lru_cache(maxsize=REMEMBERED)
def _is_known(typed: str) -> bool:
    index = registry.alias_index()
    folded = normalise(typed)
    short = stem(typed)
    return folded in index or folded in registry.ambiguous_names() or bool(short and short in index)


@lru_cache(maxsize=REMEMBERED)
def _is_copy_or_hub_id(raw: str) -> bool:
    """Whether a word is an id, or the name of a quantised copy, that the registry can resolve."""
    if not is_hub_id(raw) and read_copy(raw).weight_format is None:
        return False
    if is_hub_id(raw) and all(meanings(part) for part in raw.split("/")):
        return False
    try:
        registry.resolve(raw)
    except BadInput:
        return False
    return True


def _is_never_a_name(word: str) -> bool:
    return word.isdigit() or _SIZE.match(word) is not None or not any(map(str.isalpha, word))


def _is_word(word: str) -> bool:
    """Whether a word belongs to the language around a name ("base" does not, "it" and "the" do)."""
    return any(meaning.kind == "filler" for meaning in meanings(word)) and word != "it"


def is_hub_id(raw: str) -> bool:
    """Whether a word is shaped like "organisation/model"."""
    return _HUB_ID.match(raw) is not None and any(map(str.isalpha, raw))


def _completed(named: _Named, tokens: Tokens, only: bool) -> tuple[registry.Resolved, Tokens]:
    """The model of a name, made exact by words beside it ("distill 14b") or a size elsewhere."""
    beside = _beside(named.tokens, tokens)
    sizes = tuple(t for t in tokens if _SIZE.match(t.text) and t not in beside) if only else ()
    has_size = any(_SIZE.match(atom) for atom in _ATOMS.findall(named.typed.lower()))
    elsewhere = () if has_size or len(sizes) != 1 else sizes
    for extra in ((*beside, *elsewhere), beside, elsewhere):
        if not extra:
            continue
        typed = " ".join((named.typed, *(token.raw for token in extra)))
        resolved = _exactly(typed)
        if resolved is not None:
            return resolved, without(tokens, extra)
    return registry.resolve(named.typed), tokens


def _beside(name: Tokens, tokens: Tokens) -> Tokens:
    """The neighbours right after a name that are words of model names too."""
    found: list[Token] = []
    position = name[-1].position
    for token in tokens:
        if token.position == position + 1:
            is_part = _SIZE.match(token.text) or is_model_word(token.text)
            if not is_part or _is_word(token.text) or is_gpu(token.text) or _is_said(token.text):
                break
            found.append(token)
            position += 1
    return tuple(found)


def _is_said(word: str) -> bool:
    """Whether a word says something of its own, such as a method or a stack."""
    return any(meaning.kind in _SAID for meaning in meanings(word))


def _exactly(typed: str) -> registry.Resolved | None:
    """The model whose name has all of the typed words, in any order; None where none has."""
    if _is_known(typed):
        return registry.resolve(typed)
    wanted = frozenset(_ATOMS.findall(typed.lower()))
    found = [hf_id for hf_id, atoms in _atoms_by_id().items() if wanted <= atoms]
    if not found:
        return None
    best = min(found, key=lambda hf_id: (len(_atoms_by_id()[hf_id]), _age(hf_id)))
    others = tuple(hf_id for hf_id in found if hf_id != best)[:3]
    if others:
        said = note("grammar.model_chosen", typed=typed, model=best, others=others)
    else:
        said = note("grammar.model_read_as", typed=typed, model=best)
    return registry.Resolved(registry.architecture(best), (said,))


@cache
def _atoms_by_id() -> dict[str, frozenset[str]]:
    return {
        hf_id: frozenset(_ATOMS.findall(hf_id.partition("/")[2].lower().replace("_", "-")))
        for hf_id in registry.every_id()
    }


def _age(hf_id: str) -> tuple[int, ...]:
    """Sorts the newest release first."""
    released = registry.architecture(hf_id).released or ""
    return tuple(-int(part) for part in re.findall(r"\d+", released))


def _bare_size(tokens: Tokens, parameters: float | None) -> Models:
    """The default for a size alone: of ambiguous.csv, else the text model nearest to it."""
    token = next((t for t in tokens if _SIZE.match(t.text)), None)
    if parameters is None and token is None:
        return Models((), None, (), tokens)
    if token is not None:
        tokens = without(tokens, (token,))
        typed = token.text
        found = _SIZE.match(typed)
        amount = float(found[1]) if found else 0.0
        parameters = amount * (_BILLION if typed.endswith("b") else _MILLION)
    else:
        typed = f"{(parameters or 0) / _BILLION:g}b"
    if not parameters:
        return Models((), None, (), tokens)
    if normalise(typed) in registry.alias_index():
        resolved = registry.resolve(typed)
        return Models((resolved.architecture,), None, resolved.notes, tokens, is_size_only=True)
    listed = _listed_sizes().get(typed)
    model = registry.architecture(listed) if listed else _nearest_size(parameters)
    said = note("grammar.size_taken_as", typed=typed, model=model.hf_id)
    return Models((model,), None, (said,), tokens, is_size_only=True)


@cache
def _listed_sizes() -> dict[str, str]:
    return {row["typed"]: row["hf_id"] for row in read_rows("bot.grammar", "sizes.csv")}


def _nearest_size(parameters: float) -> Architecture:
    """The text model nearest in size: dense before mixture of experts, the newest of equals."""

    size = f"{parameters / _BILLION:g}b"

    def distance(model: Architecture) -> tuple[bool, int, bool, tuple[int, ...]]:
        away = abs(model.params_total - parameters) / parameters
        is_named = size in _atoms_by_id()[model.hf_id]
        return (not is_named, int(away * 20), model.arch != "decoder", _age(model.hf_id))

    text = (registry.architecture(hf_id) for hf_id in registry.every_id())
    return min((m for m in text if m.arch in {"decoder", "moe", "hybrid"}), key=distance)


def read_closed(tokens: Tokens) -> tuple[str | None, Tokens]:
    """A closed model the text names, which nobody can rent GPUs for, and the tokens left."""
    closed = phrases_of("closed_model")
    for index in range(len(tokens)):
        for part in runs(tokens, index, 3):
            if fold(" ".join(token.text for token in part)) in closed:
                return joined(part), without(tokens, part)
    return None, tokens
