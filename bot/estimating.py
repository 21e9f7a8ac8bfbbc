"""`muat estimate`: a model, a method and estimate keys, straight to the estimator."""

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from bot.grammar.values import find_key, read_value
from bot.unknown_models import with_hub
from planner.errors import BadInput
from planner.gpus.gpu import Gpu
from planner.memory.estimate import estimate, on_card
from planner.memory.result import MemoryEstimate
from planner.models import registry as models
from planner.notes import Note, note
from planner.query import Method, Training

_LAYOUT = ("gpu_count", "nodes")


def estimate_words(words: tuple[str, ...], config: str | None = None) -> MemoryEstimate:
    """The estimate for `MODEL METHOD key=value ...`; with the path of a `config`, that is the
    model.
    """
    plain = [word for word in words if "=" not in word]
    pairs = dict(_pair(word) for word in words if "=" in word)
    if config is not None:
        pairs["config"] = config
        plain.insert(0, "")
    elif plain:
        pairs.setdefault("model", plain[0])
    if len(plain) > 1:
        pairs.setdefault("method", plain[1])
    if len(plain) > 2:
        raise BadInput("cli.not_key_value", word=plain[2])
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
    name, method = left.pop("model", None), left.pop("method", None)
    config = left.pop("config", None)
    if (name is None and config is None) or method is None:
        raise BadInput("cli.need_model_and_method")
    if method.lower() not in get_args(Method):
        raise BadInput("cli.unknown_method", method=method, known=get_args(Method))
    resolved = _of_file(config) if config else with_hub(lambda: models.resolve(name or ""))
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
            "warnings": (*warnings, *answer.warnings),
        }
    )


def _of_file(path: str) -> models.Resolved:
    """The architecture of a config.json."""
    from planner.models.config import architecture_from_config
    from planner.models.hub import config_of_file

    found = architecture_from_config(config_of_file(Path(path)), path)
    return found._replace(notes=(note("models.read_from_file", path=path), *found.notes))


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
