"""A rendered Discord card as the view that discord.py can send.

The templates give a small tree in Discord's own words, one object per component:

    {"type": "container", "tone": "good" | "warning" | "bad" | "neutral", "components": [node, ...]}
    {"type": "text_display", "content": "Markdown, not empty"}
    {"type": "separator", "divider": true | false}

The tone becomes the container's accent colour. Nothing else exists until something can be clicked:
to Discord a section is a text with a button or a picture beside it.
"""

from collections.abc import Mapping
from typing import Any

from discord import Colour, ui

ACCENT: dict[str, Colour | None] = {
    "good": Colour(0x2E9E5B),
    "warning": Colour(0xE0A100),
    "bad": Colour(0xD0393E),
    "neutral": None,
}


def view_from(tree: Mapping[str, Any]) -> ui.LayoutView:
    """The view that shows `tree`; ValueError names the node that is no part of the grammar."""
    view = ui.LayoutView(timeout=None)
    view.add_item(_item(tree))
    return view


def _item(node: object) -> ui.Item[ui.LayoutView]:
    match node:
        case {"type": "container", "tone": str(tone), "components": [*children]} if tone in ACCENT:
            return ui.Container(*map(_item, children), accent_colour=ACCENT[tone])
        case {"type": "text_display", "content": str(content)} if content.strip():
            return ui.TextDisplay(content)
        case {"type": "separator", "divider": bool(divider)}:
            return ui.Separator(visible=divider)
    raise ValueError(f"not a Discord component: {node!r:.200}")
