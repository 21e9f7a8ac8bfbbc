"""The one base of every domain model: frozen, and closed to keys nobody declared."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """A value that never changes after it was made and refuses unknown keys."""

    # Validators are built at first use: a command imports more models than it makes.
    model_config = ConfigDict(
        frozen=True, extra="forbid", protected_namespaces=(), defer_build=True
    )
