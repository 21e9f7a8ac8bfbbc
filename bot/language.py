"""Words and numbers in the reader's language. Every word Muat says lives in templates/locale.

A key is `domain.rest`: `cards.verdict_fits` is the entry of that name in cards.po. Placeholders
are `{name}`, and the name says how a number is written: `peak_gib` with one decimal, `usd_total`
as money, `run_hours` as a duration, `overhead_fraction` as a percentage, `times_faster` with one
decimal, any other integer with grouping.
"""

import gettext
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import get_args

from planner.notes import Note, NoteValue
from planner.query import Language

LANGUAGES: tuple[Language, ...] = get_args(Language)
DEFAULT_LANGUAGE: Language = "en"


def templates_folder() -> Path:
    """Where the templates lie: inside the package when installed, at the repository's root
    otherwise.
    """
    packaged = Path(__file__).parent / "templates"
    return packaged if packaged.is_dir() else Path(__file__).parent.parent / "templates"


class Words:
    """All words and number formats of one language."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language
        self._domains: dict[str, gettext.NullTranslations] = {}

    def t(self, key: str, /, **values: NoteValue) -> str:
        """The sentence for `key` with its placeholders filled; the key itself where no sentence
        exists.
        """
        domain = key.partition(".")[0]
        if domain not in self._domains:
            self._domains[domain] = gettext.translation(
                domain, templates_folder() / "locale", [self.language], fallback=True
            )
        sentence = self._domains[domain].gettext(key)
        if not values:
            return sentence
        return sentence.format(**{name: self.value(name, value) for name, value in values.items()})

    def say(self, note: Note) -> str:
        """The words of a note."""
        return self.t(note.code, **note.values)

    def value(self, name: str, value: NoteValue) -> str:
        """A placeholder's value as text, written as its name asks."""
        if isinstance(value, str):
            return value
        if isinstance(value, bool):
            return self.t("common.yes" if value else "common.no")
        if isinstance(value, tuple):
            return ", ".join(value)
        return self._formatter(name)(value)

    def number(self, value: float, decimals: int = 0) -> str:
        """A number with this language's separators and exactly `decimals` decimals."""
        # Babel would load 80 ms of locale data into every cold start for these two marks.
        marks: dict[str, str | int | None] = {
            ",": self.t("common.group_mark"),
            ".": self.t("common.decimal_mark"),
        }
        return f"{value:,.{decimals}f}".translate(str.maketrans(marks))

    def gib(self, value: float) -> str:
        """GiB with one decimal, without the unit."""
        return self.number(value, 1)

    def usd(self, value: float) -> str:
        """US dollars, with cents (and a third decimal below one cent's precision for cheap
        hours).
        """
        return "$" + self.number(value, 3 if 0 < value < 0.1 else 2)

    def hours(self, value: float) -> str:
        """A duration of hours: minutes below one hour, one decimal below ten hours, whole hours
        above.
        """
        if value < 1:
            return self.t("common.minutes", count=self.number(max(1.0, value * 60)))
        return self.t("common.hours", count=self.number(value, 1 if value < 10 else 0))

    def percent(self, fraction: float) -> str:
        """A fraction as per cent, with one decimal below ten."""
        return self.number(fraction * 100, 1 if abs(fraction) < 0.1 else 0) + " %"

    def _formatter(self, name: str) -> Callable[[float], str]:
        if name.endswith("_gib"):
            return self.gib
        if name.startswith("usd") or name.endswith("_usd"):
            return self.usd
        if name.endswith("_hours"):
            return self.hours
        if name.endswith("_fraction"):
            return self.percent
        if name.startswith("times_"):
            return self.gib
        return self._plain

    def _plain(self, value: float) -> str:
        if float(value).is_integer():
            return self.number(value) if abs(value) >= 1000 else str(int(value))
        return self.number(value, 2 if abs(value) < 10 else 1)


@cache
def words(language: Language) -> Words:
    """The words of `language`, loaded once."""
    return Words(language)
