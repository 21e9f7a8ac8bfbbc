"""The lines of an explanation that every surface shows alike."""

from bot.cards.phrases import say
from bot.language import Words
from planner.explain.figure import Figure


def figure_title(figure: Figure, words: Words) -> str:
    """A number's name and value with its unit."""
    if figure.unit == "share":
        shown = words.percent(figure.value)
    else:
        shown = f"{quantity(figure.value, words)} {figure.unit}"
    return f"{words.t(f'explain.{figure.name}')}: {shown}"


def figure_lines(figure: Figure, words: Words) -> tuple[str, str]:
    """Its formula, which is the same in every language, and its inputs with the source."""
    inputs = ", ".join(f"{name} {quantity(value, words)}" for name, value in figure.inputs.items())
    return f"{figure.name} = {figure.formula}", f"{inputs}; {say(figure.source, words)}"


def quantity(value: float, words: Words) -> str:
    """A number with as many places as tell something."""
    size = abs(value)
    places = 0 if size >= 1000 or value == int(value) else 1 if size >= 100 else 2
    places = places if size >= 0.1 or not value else 5
    return words.number(value, places)
