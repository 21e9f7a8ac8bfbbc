"""Models the registry does not know: looked up on the hub once somebody asks about one."""

import re
from collections.abc import Callable
from typing import TypeVar

from planner.errors import BadInput
from planner.notes import note

T = TypeVar("T")
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def with_hub(answer: Callable[[], T]) -> T:
    """What `answer` gives; where it fails for an unknown id, the hub is asked and it tries again.

    Raises what `answer` raises, or the hub's reason.
    """
    try:
        return answer()
    except BadInput as refusal:
        name = refusal.note.values.get("name")
        if refusal.note.code != "models.unknown" or not isinstance(name, str):
            raise
        if _HUB_ID.fullmatch(name) is None:
            raise
    _learn(name)
    return answer()


def _learn(hf_id: str) -> None:
    from planner.models.config import architecture_from_config
    from planner.models.hub import hub_model
    from planner.models.registry import learn

    found = hub_model(hf_id)
    resolved = architecture_from_config(found.config, hf_id, found.params_total)
    learn(resolved._replace(notes=(note("models.read_from_hub", name=hf_id), *resolved.notes)))
