"""`muat estimate`: a model, a method and estimate keys, straight to the estimator."""

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from bot.architectures import from_file, from_name
from bot.grammar.values import find_key, read_value
from planner.errors import BadInput
from planner.gpus.gpu import Gpu
from planner.memory.estimate import estimate, on_card
from planner.memory.result import MemoryEstimate
from planner.models.registry import Resolved
from planner.notes import Note, note
from planner.query import Method, Training

_LAYOUT = ("gpu_count", "nodes")


def estimate_words(words: tuple[str, ...], config: Path | None = None) -> MemoryEstimate:
    """The estimate for `MODEL METHOD key=value ...`; `config` is a config.json in MODEL's place."""
    plain = [word for word in words if "=" not in word]
    pairs = dict(_pair(word) for word in words if "=" in word)
    if config is not None:
        pairs["config"] = str(config)
    is_model_said = "config" not in pairs or len(plain) > 1
    for key in ("model", "method") if is_model_said else ("method",):
        if plain and key not in pairs:
            pairs[key] = plain.pop(0)
    if plain:
        raise BadInput("cli.not_key_value", word=plain[0])
    return estimate_keys(pairs)


def estimate_line(line: Mapping[str, object]) -> MemoryEstimate:
    """The estimate for one JSON object: a text of the same words, or the keys themselves."""
    text = line.get("text")
    if isinstance(text, str):
        return estimate_words(tuple(text.split()))
    said = {key: _as_typed(value) for key, value in line.items() if value is not None}
    return estimate_keys(said)


def estimate_keys(pairs: Mapping[str, str]) -> MemoryEstimate:
    """The estimate for keys and their values as typed."""
    left = dict(pairs)
    method = left.pop("method", None)
    if method is None:
        raise BadInput("cli.need_model_and_method")
    resolved = _resolved(left.pop("model", None), left.pop("config", None))
    if method.lower() not in get_args(Method):
        raise BadInput("cli.unknown_method", method=method, known=get_args(Method))
    card, warnings = _card(left.pop("gpu", None))
    said: dict[str, object] = {"method": method.lower()}
    layout = {"gpu_count": 1, "nodes": 1}
    for typed, value in left.items():
        pair = find_key(typed)._replace(value=value)
        if pair.key in _LAYOUT:
            layout[pair.key] = int(read_value(pair))
        elif pair.key in Training.model_fields:
            said[pair.key] = read_value(pair)
        else:
            raise BadInput("cli.not_an_estimate_key", key=typed)
    if resolved.implied_base_dtype is not None:
        said.setdefault("base_dtype", resolved.implied_base_dtype)
    answer = estimate(
        resolved.architecture,
        Training.model_validate(said),
        gpus=layout["gpu_count"],
        nodes=layout["nodes"],
    )
    if card is not None:
        answer = on_card(answer, card.usable_gib)
    return answer.model_copy(
        update={
            "assumptions": (*resolved.notes, *answer.assumptions),
            "warnings": (*warnings, *resolved.warnings, *answer.warnings),
        }
    )


def _resolved(name: str | None, config: str | None) -> Resolved:
    """The model by its name or by its config.json, which may not both be given."""
    if config is None:
        if name is None:
            raise BadInput("cli.need_model_and_method")
        return from_name(name)
    if name is not None:
        raise BadInput("cli.model_and_config", model=name, config=config)
    return from_file(Path(config))


def _pair(word: str) -> tuple[str, str]:
    key, _, value = word.lstrip("-").partition("=")
    return key, value


def _as_typed(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _card(typed: str | None) -> tuple[Gpu | None, tuple[Note, ...]]:
    """The card of a typed name, and what must be said about it."""
    if typed is None:
        return None, ()
    from planner.gpus import registry as gpus

    try:
        gpu = gpus.find(typed).gpu
    except BadInput:
        return None, (note("memory.unknown_gpu", name=typed),)
    return gpu, () if gpu.supports_bf16 else (note("plan.no_bf16", gpu=gpu.name),)
