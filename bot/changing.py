"""A question in parts that a form shows and somebody changes, and put together again.

The parts are words and `key=value` pairs as the grammar reads them, so that what comes back from
the form is a question like any other.
"""

import re
from collections.abc import Mapping
from typing import Literal, get_args

from bot.actions import full_text
from bot.escaping import clip
from bot.grammar import read
from bot.grammar.command import Command
from bot.store.asked import Asked
from planner.errors import Refusal
from planner.query import Method

#: The whole text stands in `question` where a question has no parts.
Part = Literal["question", "model", "method", "machine", "training", "limits"]
PARTS: tuple[Part, ...] = get_args(Part)
#: What a form offers for the method, the usual ones first; UNSAID leaves it to Muat.
METHODS: tuple[Method, ...] = get_args(Method)
UNSAID = "unsaid"
_THOUSANDS = re.compile(r"\.\d{3}$")

_TRAINING = ("seq_len", "micro_batch", "samples", "tokens", "epochs", "dataset_gb")
_LIMITS = (
    "max_usd_total", "max_usd_per_hour", "deadline_hours", "rental_hours", "region",
)  # fmt: skip


def form_of(question: Asked, usd_per_idr: float, most_letters: int) -> dict[Part, str]:
    """What a form about `question` shows, part by part, each of at most so many letters."""
    try:
        asked = read(full_text(question), usd_per_idr=usd_per_idr, reader=question.language)
        parts = parts_of(asked)
    except Refusal:
        parts = None
    if parts is None or any(len(text) > most_letters for text in parts.values()):
        return {"question": clip(question.text, most_letters)}
    return parts


def method_code(method: str) -> str:
    """The words for what a form offers as method."""
    return "actions.form_method_unsaid" if method == UNSAID else f"cards.method_{method}"


def parts_of(asked: Command) -> dict[Part, str] | None:
    """The parts of `asked`; together they read as it does. None where it is about several models
    or methods, or about none: such a question is changed as it was typed.
    """
    if asked.model is None or len(asked.models) > 1 or asked.methods:
        return None
    return {
        "model": asked.model,
        "method": asked.method or UNSAID,
        "machine": _machine(asked),
        "training": _pairs({**_named(asked, _TRAINING), **asked.training.model_dump()}),
        "limits": _limits(asked),
    }


def put_together(parts: Mapping[Part, str]) -> str:
    """The question of these parts, without the name of its command."""
    said = {part: " ".join(parts.get(part, "").split()) for part in PARTS}
    if said["method"] == UNSAID:
        said["method"] = ""
    if said["method"]:
        said["method"] = f"method={said['method']}"
    return " ".join(one for one in said.values() if one)


def _machine(asked: Command) -> str:
    found = [" vs ".join(asked.gpus)] if len(asked.gpus) > 1 else []
    count, gpu = asked.gpu_count, asked.gpu
    if gpu is not None and asked.nodes is None:
        found.append(f"how many {gpu}" if count is None else f"{count}x {gpu}")
    else:
        found.append(_pairs({"gpu": gpu, "gpu_count": count, "nodes": asked.nodes}))
    found.append(_pairs({"vram_gib": asked.vram_gib, "market": asked.market}))
    return " ".join(one for one in found if one)


def _limits(asked: Command) -> str:
    sellers = {"provider": ", ".join(asked.providers), "needs": ", ".join(asked.needs)}
    pairs = _pairs({**_named(asked, _LIMITS), **{key: one or None for key, one in sellers.items()}})
    return f"{pairs} for {asked.target}" if asked.target else pairs


def _named(asked: Command, names: tuple[str, ...]) -> dict[str, object]:
    return {name: getattr(asked, name) for name in names}


def _pairs(values: Mapping[str, object]) -> str:
    return " ".join(f"{key}={_typed(value)}" for key, value in values.items() if value is not None)


def _typed(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        text = f"{value:.6g}"
        # Three digits behind a point may be thousands.
        return f"{text}0" if _THOUSANDS.search(text) else text
    text = str(value)
    return f'"{text}"' if " " in text else text
