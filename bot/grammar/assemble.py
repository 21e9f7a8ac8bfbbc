"""The readers' findings as one Command."""

from functools import cache
from typing import Any, NamedTuple, get_args

from bot.grammar import intent
from bot.grammar.command import Command, CommandName
from bot.grammar.gpu import Card, Gpus
from bot.grammar.keys import Keys
from bot.grammar.leftover import not_understood, unknown_cards
from bot.grammar.lexicon import match_at, scan
from bot.grammar.model import Models
from bot.grammar.money import Money
from bot.grammar.nodes import spread
from bot.grammar.once import once
from bot.grammar.phrases import Phrases
from bot.grammar.place import Place
from bot.grammar.quantities import Quantities
from bot.grammar.tokens import Tokens
from bot.grammar.values import Pair, find_key, read_value
from planner.catalog.regions import find_region
from planner.data_files import read_rows
from planner.errors import BadInput
from planner.gpus import registry as gpu_registry
from planner.models import registry as model_registry
from planner.notes import Note, note
from planner.query import Language, Method, Tuning

_INTEGERS = ("samples", "tokens", "seq_len", "micro_batch", "nodes")
_NUMBERS = ("epochs", "deadline_hours", "rental_hours")
_TUNING = ("global_batch", "lora_rank", "virtual_tokens", "resolution", "images")
_TRAINING_VALUES = frozenset({"seq_len", "micro_batch", "samples", "tokens", "epochs", *_TUNING})
_NAMES_WORDS = frozenset({"fit", "compare", "prices", "recipe", "explain", "watch", "digest"})
_NEEDS_MODEL = frozenset({"fit", "recipe", "explain"})


class Readings(NamedTuple):
    """Everything the readers found in one text; `rest` is what none of them took."""

    everything: Tokens
    money: Money
    quantities: Quantities
    closed_model: str | None
    models: Models
    gpus: Gpus
    place: Place
    phrases: Phrases
    rest: Tokens


def assemble(
    found: Readings,
    keys: Keys,
    typed: CommandName | None,
    language: Language,
    notes: tuple[Note, ...],
) -> Command:
    """The command, its fields and everything that must be said about the reading."""
    unknown_gpus, unknown = unknown_cards(not_understood(found.rest))
    if not found.models.ids:
        _refuse_unknown_model(unknown, typed, keys)
    _refuse_unread_words(found, keys)
    cards, card_notes = _cards(found)
    method, method_notes = _method(found)
    said = [*notes, *found.money.notes, *found.models.notes, *found.gpus.notes, *card_notes]
    said += found.phrases.notes
    command = typed or intent.decide(found.everything, _named(found, keys, cards))
    fields = {
        **_limits(found, cards, said), **_quantities(found), **_names(found, cards),
        "method": method, "market": found.phrases.market, "needs": found.phrases.needs,
        "target": found.phrases.target,
    }  # fmt: skip
    fields |= keys.values
    if fields.get("gpu_count") is None and len(cards) == 1:
        fields["gpu_count"] = _count(found, cards[0])
        if fields.get("nodes") and cards[0].count is None and _loose_count(found) is None:
            fields["gpu_count"] = None
    _spread_over_nodes(found, keys, fields, said)
    if command in _NAMES_WORDS and (command != "compare" or method is not None):
        said += method_notes
    if command in _NAMES_WORDS:
        said += [
            note("grammar.gpu_unknown", typed=typed_gpu, nearest=gpu_registry.nearest(typed_gpu))
            for typed_gpu in unknown_gpus
        ]
    if unknown and command in _NAMES_WORDS:
        said.append(note("grammar.not_understood", words=tuple(token.raw for token in unknown)))
    if len(cards) > 1 and command in ("fit", "explain"):
        said.append(note("grammar.several_gpus", gpus=tuple(card.name for card in cards)))
    if found.closed_model:
        said.append(note("grammar.closed_model", name=found.closed_model))
    if command == "unknown":
        said.append(note("grammar.no_question", example=intent.EXAMPLE))
    return Command(
        command=command, language=language, training=_training(found, keys, method),
        notes=once(said), **fields,
    )  # fmt: skip


def _names(found: Readings, cards: tuple[Card, ...]) -> dict[str, Any]:
    models = found.models.ids
    providers = found.place.providers
    return {
        "models": models, "model": models[0] if len(models) == 1 else None,
        "methods": found.phrases.methods if len(found.phrases.methods) > 1 else (),
        "gpus": tuple(f"{card.count}x {card.name}" if card.count else card.name for card in cards),
        "gpu": cards[0].name if len(cards) == 1 else None,
        "gpu_count": None if cards else _loose_count(found),
        "vram_gib": found.gpus.vram_gib, "region": found.place.region,
        "providers": providers, "provider": providers[0] if len(providers) == 1 else None,
    }  # fmt: skip


def _named(found: Readings, keys: Keys, cards: tuple[Card, ...]) -> intent.Named:
    trains = bool(
        found.phrases.training or keys.training or found.phrases.says_finetune
        or found.gpus.vram_gib or _TRAINING_VALUES & {*found.quantities.values, *keys.values}
    )  # fmt: skip
    return intent.Named(
        models=len(found.models.ids),
        is_size_only=found.models.is_size_only,
        gpus=len(cards),
        providers=len(found.place.providers),
        methods=len(found.phrases.methods),
        trains=trains,
        has_closed_model=found.closed_model is not None and not found.models.ids,
        has_vram=found.gpus.vram_gib is not None,
        has_limit=found.money.usd_total is not None or found.money.usd_per_hour is not None,
    )  # fmt: skip


def _cards(found: Readings) -> tuple[tuple[Card, ...], tuple[Note, ...]]:
    """The cards named, each once; a free notebook implies its card."""
    cards = tuple(dict.fromkeys(found.gpus.cards))
    if cards or not scan(found.everything, "free"):
        return cards, ()
    for provider in found.place.providers:
        name = _free_cards().get(provider)
        if name is not None:
            said = note("grammar.free_notebook", provider=provider, gpu=name)
            return (Card(name, 1, False),), (said,)
    return cards, ()


@cache
def _free_cards() -> dict[str, str]:
    return {row["provider"]: row["gpu"] for row in read_rows("bot.grammar", "free_cards.csv")}


def _count(found: Readings, card: Card) -> int | None:
    """How many cards: beside the name, else anywhere, else 1; None where that is the question."""
    if card.count is not None:
        return card.count
    loose = _loose_count(found)
    if loose is not None:
        return loose
    return None if card.asks_count or _asks_how_many_gpus(found.everything) else 1


def _spread_over_nodes(
    found: Readings, keys: Keys, fields: dict[str, Any], said: list[Note]
) -> None:
    """Makes the count that of all nodes; counts and nodes typed as keys already are."""
    count, nodes = fields.get("gpu_count"), fields.get("nodes") or 1
    if count is None or nodes < 2 or keys.values.keys() & {"gpu_count", "nodes"}:
        return
    fields["gpu_count"], note_of_it = spread(found.everything, count, nodes)
    said.append(note_of_it)


def _loose_count(found: Readings) -> int | None:
    if found.gpus.loose_count is not None:
        return found.gpus.loose_count
    count = found.quantities.values.get("gpu_count")
    return int(count) if count else None


def _asks_how_many_gpus(tokens: Tokens) -> bool:
    """ "how many gpus", "berapa kartu"."""
    for index in range(len(tokens)):
        match = match_at(tokens, index, "how_many")
        end = index + len(match.tokens) if match else len(tokens)
        if match and end < len(tokens) and match_at(tokens, end, "gpu_word"):
            return True
    return False


def _method(found: Readings) -> tuple[Method | None, tuple[Note, ...]]:
    """The one method named; an encoder is "fine-tuned" in full, and 4-bit means qlora."""
    methods = found.phrases.methods
    is_four_bit = found.phrases.training.get("base_dtype") == "nf4"
    if len(methods) > 1:
        return None, (note("grammar.several_methods", methods=methods),)
    if is_four_bit and methods in {(), ("lora",)}:
        return "qlora", (note("grammar.four_bit_is_qlora"),)
    if methods:
        return methods[0], ()
    models = found.models.models
    if len(models) == 1 and models[0].arch == "encoder" and found.phrases.says_finetune:
        return "full", (note("grammar.encoder_in_full", model=models[0].hf_id),)
    return None, ()


def _limits(found: Readings, cards: tuple[Card, ...], said: list[Note]) -> dict[str, float | None]:
    per_hour, total = found.money.usd_per_hour, found.money.usd_total
    count = _count(found, cards[0]) if len(cards) == 1 else _loose_count(found)
    if found.money.is_per_gpu and per_hour is not None:
        per_hour *= count or 1
        said.append(note("grammar.per_gpu_price", count=count or 1, usd_per_hour=per_hour))
    return {"max_usd_per_hour": per_hour, "max_usd_total": total}


def _quantities(found: Readings) -> dict[str, Any]:
    values = found.quantities.values
    integers = {name: int(values[name]) for name in _INTEGERS if name in values}
    return integers | {name: values[name] for name in _NUMBERS if name in values}


def _training(found: Readings, keys: Keys, method: Method | None) -> Tuning:
    said: dict[str, Any] = {}
    for key, value in found.phrases.training.items():
        said[key] = read_value(find_key(key)._replace(value=value))
    said |= {
        key: int(found.quantities.values[key]) for key in _TUNING if key in found.quantities.values
    }
    said |= keys.training
    if method != "full" and found.models.implied_base_dtype:
        said.setdefault("base_dtype", found.models.implied_base_dtype)
    return Tuning(**said)


def asks_for_model(typed: CommandName | None, words: tuple[Pair, ...]) -> bool:
    """Whether a text must name a model: by its command, or because it says "model="."""
    return typed in _NEEDS_MODEL or any(pair.key == "model" for pair in words)


def _refuse_unknown_model(unknown: Tokens, typed: CommandName | None, keys: Keys) -> None:
    """BadInput with the nearest names when a word can only be a model nobody knows."""
    for pair in keys.words:
        if pair.key == "model":
            model_registry.resolve(pair.value)
            raise BadInput(
                "models.unknown", name=pair.value, nearest=model_registry.nearest(pair.value)
            )
    shaped = next((token for token in unknown if intent.is_model_shaped(token.raw)), None)
    if shaped is None and typed in _NEEDS_MODEL and unknown:
        shaped = unknown[0]
    if shaped is not None and typed in {None, "watch", *_NEEDS_MODEL}:
        raise _unknown_model(shaped.raw)


def _unknown_model(typed: str) -> BadInput:
    return BadInput("models.unknown", name=typed, nearest=model_registry.nearest(typed))


def _refuse_unread_words(found: Readings, keys: Keys) -> None:
    """BadInput for a `gpu=`, `method=`, `region=`, ... whose value nothing could read."""
    for pair in keys.words:
        if pair.key == "gpu" and not found.gpus.cards and found.gpus.vram_gib is None:
            gpu_registry.find(pair.value)
        unread = {
            "method": not (found.phrases.methods or found.phrases.notes),
            "provider": not found.place.providers,
            "region": found.place.region is None and find_region(pair.value) is None,
            "market": found.phrases.market is None,
            "needs": not found.phrases.needs,
        }
        if unread.get(pair.key):
            raise _unread(pair)


def _unread(pair: Pair) -> BadInput:
    known = {"method": get_args(Method), "market": ("spot", "on-demand")}.get(pair.key)
    if known:
        return BadInput("grammar.not_a_choice", key=pair.typed, value=pair.value, known=known)
    return BadInput("grammar.not_known", key=pair.typed, value=pair.value)
