"""`muat recipe`: the files of a plan shown, written into a folder, or as JSON."""

import sys
from datetime import UTC, datetime
from pathlib import Path

from bot.machine import Output, jsonable, write_json
from bot.reading import read_text
from bot.recipes import written
from bot.settings import answer_settings
from planner.errors import BadInput


def say_recipe(
    text: str, target: str | None, folder: Path | None, catalog: Path | None, out: Output
) -> None:
    """Write the files for `target` to standard output, or into `folder`."""
    typed = text.strip()
    asked = read_text(typed if typed.startswith("/") else f"/recipe {typed}", out.language)
    spoken = out.words(asked.language)
    found = written(asked, catalog or answer_settings().catalog, datetime.now(UTC), target)
    if folder is not None:
        _store(found.recipe.files, folder)
    if out.json:
        write_json(jsonable(found.recipe, spoken))
        return
    from bot.cards.recipe import recipe_card
    from bot.console import show

    if folder is None:
        show(recipe_card(found.recipe, found.planned.architecture.display_name), spoken)
    else:
        for name in found.recipe.files:
            sys.stdout.write(f"{folder / name}\n")


def _store(files: dict[str, str], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError:
        raise BadInput("recipe.folder_not_writable", folder=str(folder)) from None
