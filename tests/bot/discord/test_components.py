"""The JSON tree of a template as a discord.py view."""

from typing import Any

import pytest

from bot.discord.components import view_from

TEXT = {"type": "text_display", "content": "## Fits"}
LINE = {"type": "separator", "divider": True}


async def test_a_tree_becomes_what_discord_takes() -> None:
    tree = {"type": "container", "tone": "bad", "components": [TEXT, LINE, TEXT]}
    (container,) = view_from(tree).to_components()
    assert container["type"] == 17
    assert container["accent_color"] == 0xD0393E
    assert [child["type"] for child in container["components"]] == [10, 14, 10]
    assert container["components"][0]["content"] == "## Fits"
    assert container["components"][1]["divider"] is True


async def test_every_tone_but_neutral_has_a_colour_of_its_own() -> None:
    trees = [
        {"type": "container", "tone": tone, "components": [TEXT]}
        for tone in ("good", "warning", "bad", "neutral")
    ]
    colours = [view_from(tree).to_components()[0]["accent_color"] for tree in trees]
    assert colours[3] is None
    assert len(set(colours)) == 4


async def test_a_view_waits_for_no_click() -> None:
    assert not view_from(TEXT).is_dispatchable()


@pytest.mark.parametrize(
    "node",
    [
        {"type": "carousel"},
        {"type": "text_display", "content": "  "},
        {"type": "text_display"},
        {"type": "container", "tone": "pink", "components": [TEXT]},
        {"type": "container", "tone": "good"},
        {"type": "separator"},
        "text",
        None,
    ],
)
async def test_what_is_no_component_is_named(node: Any) -> None:
    tree = {"type": "container", "tone": "good", "components": [TEXT, node]}
    with pytest.raises(ValueError, match="not a Discord component") as caught:
        view_from(tree)
    assert repr(node) in str(caught.value)
