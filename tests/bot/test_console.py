"""The terminal: colour where somebody watches, plain text elsewhere, ASCII where it must be."""

import io
import re

import pytest

from bot.cards.sample import sample_card, sample_names
from bot.console import STYLES, show
from bot.language import words
from bot.paint import ROLES, paint, unpainted
from bot.render import render

ANSI = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.TextIOWrapper):
    """A file that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def written(kind: type[io.TextIOWrapper], encoding: str, name: str = "fit") -> str:
    raw = io.BytesIO()
    file = kind(raw, encoding=encoding, newline="")
    show(sample_card(name), words("en"), file)
    file.flush()
    return raw.getvalue().decode(encoding)


@pytest.fixture
def colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)


def test_a_pipe_gets_the_plain_text() -> None:
    plain = written(io.TextIOWrapper, "utf-8")
    assert plain == render(sample_card("fit"), "console", words("en"))
    assert "\x1b" not in plain
    assert "█" * 18 + "░" * 12 in plain


@pytest.mark.usefixtures("colours")
def test_a_terminal_gets_the_same_text_in_colours() -> None:
    coloured = written(Terminal, "utf-8")
    assert ANSI.sub("", coloured) == render(sample_card("fit"), "console", words("en"))
    verdict = next(line for line in coloured.splitlines() if "Fits on" in line)
    assert verdict.startswith("\x1b[1;32m"), "what fits is green"
    bar = next(line for line in coloured.splitlines() if "█" in line)
    assert len(set(ANSI.findall(bar.split("48.3")[0]))) > 4, "the bar has a colour per part"


@pytest.mark.usefixtures("colours")
def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;32m" not in written(Terminal, "utf-8")


def test_a_terminal_without_unicode_gets_an_ascii_bar() -> None:
    plain = written(io.TextIOWrapper, "ascii")
    assert "#" * 18 + "-" * 12 in plain
    assert "?" not in plain


def test_every_mark_can_be_taken_off_again() -> None:
    for role in ROLES:
        assert unpainted(paint("text [bold]", role)) == "text [bold]"


@pytest.mark.usefixtures("colours")
@pytest.mark.parametrize("name", sample_names())
def test_every_sample_has_colours_in_a_terminal(name: str) -> None:
    assert ANSI.search(written(Terminal, "utf-8", name))


def test_every_role_has_a_style() -> None:
    assert set(STYLES) == set(ROLES)
