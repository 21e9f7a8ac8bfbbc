"""What an answer says, as paragraphs: first what the planner says of the machines named, then the
general point.
"""

from bot.cards import ages, phrases
from bot.cards.bodies import PricesBody
from bot.cards.fit import fit_card
from bot.cards.side_by_side import column_lines, column_title
from bot.faq.asking import Asked
from bot.faq.phrasings import TOPICS
from bot.language import Words
from bot.planning import Planned
from bot.render import filled
from planner.plan.compare import Comparison

#: Prices named in an answer; /prices lists them all.
PRICES_SAID = 3


def paragraphs(asked: Asked, words: Words) -> tuple[str, ...]:
    """The answer to `asked`; the polite line where there is none."""
    said = (*_of_plan(asked.planned, words), *_of_topic(asked, words))
    return said or (out_of_scope(words),)


def out_of_scope(words: Words) -> str:
    """What Muat says when it has no answer: what it does know about."""
    names = ", ".join(words.t(f"faq.topic_{topic}") for topic in TOPICS)
    return words.t("faq.out_of_scope", topics=names)


def _of_topic(asked: Asked, words: Words) -> tuple[str, ...]:
    if asked.topic is None:
        return ()
    name = f"faq/{asked.topic}.{words.language}.md"
    return (filled(name, words, facts=asked.facts).strip(),)


def _of_plan(planned: object | None, words: Words) -> tuple[str, ...]:
    if isinstance(planned, Planned):
        return _of_fit(planned, words)
    if isinstance(planned, Comparison):
        return tuple(
            f"{column_title(one, words)}: {'; '.join(column_lines(one, words))}"
            for one in planned.columns
        )
    if isinstance(planned, PricesBody):
        return _of_prices(planned, words)
    return ()


def _of_fit(planned: Planned, words: Words) -> tuple[str, ...]:
    card = fit_card(planned.plan, planned.architecture.display_name)
    bodies = {section.name: section.body for section in card.sections}
    verdict = bodies["verdict"]
    lines = [f"{phrases.subject(verdict, words)}: {phrases.headline(verdict, words)}"]
    if choice := bodies.get("choice"):
        lines.append(". ".join(phrases.choice(choice, words)))
    if planned.plan.verdict == "does_not_fit" and planned.plan.alternatives:
        others = planned.plan.alternatives
        bigger = [one for one in others[1:] if one.change == "bigger_card"]
        named = (others[0], *bigger)
        lines.append(". ".join(phrases.alternative(one, words) for one in named))
    lines.extend(phrases.say(one, words) for one in planned.plan.warnings[:1])
    return tuple(lines)


def _of_prices(found: PricesBody, words: Words) -> tuple[str, ...]:
    cells = phrases.price_rows(found.rows[:PRICES_SAID], words)[1:]
    rows = "; ".join(", ".join(cell for cell in row if cell) for row in cells)
    return (f"{rows}.", ages.catalog(found.catalog, words))
