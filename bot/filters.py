"""The filters and helpers of every template; bot.render lists them for those who write one."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context

from bot import escaping, layout
from bot.cards import ages, phrases, side_by_side, workings
from bot.cards.bodies import MemoryBody
from bot.language import Words
from bot.paint import paint


def _words(context: Context) -> Words:
    words: Words = context["words"]
    return words


def _worded(phrase: Callable[[Any, Words], Any]) -> Callable[[Context, Any], Any]:
    """`phrase` as a filter that takes the reader's Words from the template's context."""

    @pass_context
    def worded(context: Context, body: Any) -> Any:
        return phrase(body, _words(context))

    return worded


def _known(format_name: str) -> Callable[..., str]:
    """A filter that writes a number as the method `format_name` of Words, or "unknown" for None."""

    @pass_context
    def written(context: Context, value: float | None, *arguments: int) -> str:
        words = _words(context)
        if value is None:
            return words.t("cards.unknown")
        text: str = getattr(words, format_name)(value, *arguments)
        return text

    return written


def _minutes(value: float | None, words: Words) -> str:
    return words.t("cards.unknown") if value is None else words.hours(value / 60)


def _date(value: date | str | None, words: Words) -> str:
    return words.t("cards.unknown") if value is None else str(value)[:10]


def bar(fraction: float | None, cells: int = 30) -> str:
    """A text bar of `cells` cells: full ones up to `fraction`, none where it is unknown."""
    full = 0 if fraction is None else round(min(1.0, max(0.0, fraction)) * cells)
    return "█" * full + "░" * (cells - full)


def segments(memory: MemoryBody, cells: int = 30) -> str:
    """The bar painted part by part, then what is free; full where more is needed than there is."""
    scale = max(memory.usable_gib or 0.0, memory.peak_gib)
    drawn, running, shown = 0, 0.0, []
    for part in memory.parts:
        running += part.gib
        end = min(cells, round(running / scale * cells)) if scale else 0
        shown.append(paint("█" * (end - drawn), part.name))
        drawn = end
    return "".join(shown) + paint("░" * (cells - drawn), "free")


def _answer_paragraphs(asked: Any, words: Words) -> tuple[str, ...]:
    # Loaded with the first answer, not with every card.
    from bot.faq.wording import paragraphs

    return paragraphs(asked, words)


def _digest_lines(body: Any, words: Words) -> tuple[str, ...]:
    # Loaded with the first digest, not with every card.
    from bot.cards.digest import digest_lines

    return digest_lines(body, words)


def _watch_lines(body: Any, words: Words) -> tuple[str, ...]:
    from bot.cards.watch import watch_lines

    return watch_lines(body, words)


def _watched_plan(plan: Any, words: Words) -> str:
    from bot.cards.watch import watched_plan_line

    return watched_plan_line(plan, words)


FILTERS: Mapping[str, Callable[..., Any]] = {
    **{
        phrase.__name__: _worded(phrase)
        for phrase in (
            phrases.say, phrases.machine, phrases.subject, phrases.headline, phrases.place,
            phrases.cost, phrases.set_up, phrases.fabric, phrases.choice, phrases.memory,
            phrases.parts, phrases.parameters, phrases.spot, phrases.checkpoint,
            phrases.alternative,
            phrases.option_rows, phrases.price_rows, phrases.option_details,
            ages.age, ages.priced, ages.catalog,
            side_by_side.column_title, side_by_side.column_lines, side_by_side.comparison_rows,
            workings.figure_title, workings.figure_lines,
        )
    },
    **{kind: _known(kind) for kind in ("gib", "usd", "hours", "percent", "number")},
    "answer_paragraphs": _worded(_answer_paragraphs),
    "digest_lines": _worded(_digest_lines),
    "watch_lines": _worded(_watch_lines),
    "watched_plan": _worded(_watched_plan),
    "minutes": _worded(_minutes),
    "date": _worded(_date),
    "bar": bar,
    "segments": segments,
    "clip": escaping.clip,
    "clean": escaping.clean,
    "name": phrases.name,
    "mrkdwn": escaping.mrkdwn,
    "discord_text": escaping.discord_text,
    "code": escaping.code,
    "code_block": escaping.code_block,
    "clip_lines": escaping.clip_lines,
    "paint": paint,
}  # fmt: skip
GLOBALS: Mapping[str, Callable[..., Any]] = {
    "row": layout.row,
    "chain": layout.chain,
    "beside": layout.beside,
    "meter": layout.meter,
    "paragraph": layout.paragraph,
    "table": layout.table,
}
