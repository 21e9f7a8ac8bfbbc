"""A card as a payload: templates/<surface>/<kind>.<ending> through Jinja2, compiled once.

What a template finds (undefined names are errors, blocks are trimmed, HTML alone is autoescaped):

card, words       the card and the reader's Words
t(key, **values)  a sentence of templates/locale: t("cards.title_rent")
section(name)     the body of that section, with the fields of bot.cards.bodies, or None
left_out          how many sections the surface was too small for: t("cards.more_left_out") says so

Filters over bodies give plain text in the reader's language (bot.cards.phrases, bot.cards.ages):

verdict           `| subject` (model, method, length), `| headline` (the verdict in one sentence)
choice            `| choice`: lines; then `choice.option | age` where there is an option
an option         `| machine` ("8x H100-SXM5"), `| place`, `| cost`, `| set_up`, `| age`,
                  `| priced`, `| option_details`: reason, place, set-up;
                  `options | option_rows`: table cells
prices            `rows | price_rows`: table cells under their headings
memory            `| memory` (peak, usable, range), `| parts`: "weights 37.1" each, `| parameters`,
                  `fraction | bar(30)` of █ and ░
a comparison      `| comparison_rows`: table cells under their headings; of one of its columns
                  `| column_title` and `| column_lines`
a figure          `| figure_title` (name and value) and `| figure_lines`: formula, then inputs
spot, checkpoint  `| spot` and `| checkpoint`: lines
an alternative    `| alternative`
an answer         `| answer_paragraphs`: plain text, one string a paragraph
a digest          `| digest_lines`: what moved, one string a line
a watched price   `| watch_lines`: the price, the machine, the price's age, one string a line;
                  of one watched plan in a digest `| watched_plan`
a note            `| say`: its words, its values cleaned and of bounded length
catalog facts     `| catalog`: which prices stand behind the card
a number          `| gib | usd | hours | minutes | percent | number | date`: None is "unknown"; usd
                  brings its $, percent its %, hours and minutes their unit, gib and number nothing
text              `| clip_lines(900)` cuts between lines, `| code_block` is for lines of code,
                  `| clip(80)` cuts at a word, `| clean` one line without control characters,
                  `| name` both, for a name somebody else wrote; `| fabric` for an interconnect

Whatever holds names or notes, which is all of the above, goes through the surface's escaping:
`| mrkdwn` (Slack mrkdwn; plain_text takes it as it is), `| discord_text`, or `| code` inside a code
span or block of either. Then every string of a JSON template goes through `| tojson`. Macros see
`t` and these filters only when imported `with context`.

A Slack template gives {"text": ..., "blocks": [...]}, a Discord template the tree of
bot.discord.components; the console templates lay out with the helpers of bot.layout.
"""

import json
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, overload

from bot.cards.card import Card
from bot.language import Words, templates_folder

if TYPE_CHECKING:
    from jinja2 import Environment

Surface = Literal["slack", "discord", "console", "web"]
ChatSurface = Literal["slack", "discord"]
TextSurface = Literal["console", "web"]
Blocks = tuple[dict[str, Any], ...]

_ENDINGS: dict[Surface, str] = {
    "slack": "json.j2",
    "discord": "json.j2",
    "console": "txt.j2",
    "web": "html.j2",
}


class TooLong(ValueError):
    """A card that breaks its surface's limits even with nothing left but what must stay."""


@overload
def render(
    card: Card, surface: ChatSurface, words: Words, *, below: Blocks = ()
) -> dict[str, Any]: ...
@overload
def render(card: Card, surface: TextSurface, words: Words) -> str: ...
def render(
    card: Card, surface: Surface, words: Words, *, below: Blocks = ()
) -> dict[str, Any] | str:
    """`card` as `surface` takes it: a JSON object for the chats, text for the others.

    A card that breaks the surface's limits loses its least important section and is rendered again.
    `below` are Slack blocks that must have room under it.
    """
    if surface == "console" or surface == "web":
        text = _filled(card, surface, words, left_out=0)
        return _without_paint(text) if surface == "console" else text
    return _fitted(card, surface, words, below)[0]


def rest_of(card: Card, surface: ChatSurface, words: Words, *, below: Blocks = ()) -> Card | None:
    """What `render` leaves out of `card` on `surface`, under the sections that always stay; None
    where everything fits.
    """
    shown = _fitted(card, surface, words, below)[1].sections
    if len(shown) == len(card.sections):
        return None
    rest = tuple(s for s in card.sections if s.priority == 0 or s not in shown)
    return card.model_copy(update={"sections": rest})


def _fitted(
    card: Card, surface: ChatSurface, words: Words, below: Blocks
) -> tuple[dict[str, Any], Card]:
    """The payload and what of `card` is in it."""
    smaller: Card | None = card
    left_out = 0
    broken: list[str] = []
    while smaller is not None:
        payload: dict[str, Any] = json.loads(_filled(smaller, surface, words, left_out))
        if below:
            payload["blocks"] = [*payload["blocks"], *below]
        broken = _violations(surface, payload)
        if not broken:
            return payload, smaller
        smaller = smaller.without_least_important()
        left_out += 1
    raise TooLong(f"{card.kind} on {surface}: {'; '.join(broken)}")


def filled(template: str, words: Words, **values: object) -> str:
    """A template of content, such as faq/checkpointing.en.md, in plain text."""
    return _environment("console").get_template(template).render(words=words, t=words.t, **values)


def render_painted(card: Card, words: Words) -> str:
    """The console text with the marks of bot.paint in it, for a terminal with colours."""
    return _filled(card, "console", words, left_out=0)


def _filled(card: Card, surface: Surface, words: Words, left_out: int) -> str:
    bodies = {section.name: section.body for section in card.sections}
    template = _environment(surface).get_template(f"{surface}/{card.kind}.{_ENDINGS[surface]}")
    return template.render(card=card, words=words, t=words.t, section=bodies.get, left_out=left_out)


@cache
def _environment(surface: Surface) -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from bot import filters
    from bot.compiled import compiled_templates

    environment = Environment(
        loader=FileSystemLoader(templates_folder()),
        bytecode_cache=compiled_templates(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=surface == "web",  # noqa: S701 -- JSON escapes by tojson, and a terminal is not HTML
        auto_reload=False,
    )
    environment.filters.update(filters.FILTERS)
    environment.globals.update(filters.GLOBALS)
    # Readable letters in JSON: "é", not "\u00e9".
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "sort_keys": False}
    return environment


def _violations(surface: ChatSurface, payload: dict[str, Any]) -> list[str]:
    from bot.limits import violations

    return violations(surface, payload)


def _without_paint(text: str) -> str:
    from bot.paint import unpainted

    return unpainted(text)
