"""Marks in console text that say what a stretch of it means; bot.console turns them into colours.

Marks are control characters, which bot.escaping takes out of everything people typed.
"""

import re
from typing import Literal, get_args

Role = Literal[
    "good", "warning", "bad", "neutral", "title", "label", "dim", "money",
    "weights", "adapters", "gradients", "optimizer", "activations", "logits", "temporary",
    "overhead", "free",
]  # fmt: skip

ROLES: tuple[Role, ...] = get_args(Role)
_OPEN = "\x02"
_NAMED = "\x1f"
_CLOSE = "\x03"
MARKED = re.compile(f"{_OPEN}([a-z]+){_NAMED}([^{_CLOSE}]*){_CLOSE}")


def paint(text: str, role: Role) -> str:
    """`text` marked as `role`; marks do not nest."""
    return f"{_OPEN}{role}{_NAMED}{text}{_CLOSE}" if text else ""


def unpainted(text: str) -> str:
    """`text` without any marks."""
    return MARKED.sub(r"\2", text)
