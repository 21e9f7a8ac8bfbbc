"""Where a model's architecture comes from: the registry first, then the hub; or a config.json."""

from pathlib import Path

from bot.settings import answer_settings
from planner.errors import BadInput
from planner.models import registry
from planner.models.names import strip_url
from planner.models.registry import Resolved


def from_name(name: str) -> Resolved:
    """The architecture of a name the registry knows, else of a repository on the hub.

    A name that is not shaped like "owner/name" is never asked for there.
    """
    try:
        return registry.resolve(name)
    except BadInput as refusal:
        if refusal.note.code != "models.unknown":
            raise
        from planner.models.hub.remote import is_hub_id, resolve_hub

        hf_id = strip_url(name)
        if not is_hub_id(hf_id):
            raise
        return resolve_hub(hf_id, answer_settings().cache)


def from_file(path: Path) -> Resolved:
    """The architecture that a config.json on this machine describes."""
    from planner.models.hub.folder import resolve_file

    return resolve_file(path)
