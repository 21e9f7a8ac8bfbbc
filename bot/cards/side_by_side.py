"""The lines of a comparison that every surface shows alike."""

from bot.cards import ages, phrases
from bot.cards.bodies import ComparisonBody
from bot.escaping import clip
from bot.language import Words
from planner.plan.compare import Column


def column_title(column: Column, words: Words) -> str:
    """What a column of a comparison stands for."""
    return clip(phrases.name(column.asked), phrases.CELL_LENGTH)


def column_lines(column: Column, words: Words) -> tuple[str, ...]:
    """One column of a comparison in lines: the verdict and its memory, what to rent and for how
    much, spot, and what would make it fit.
    """
    lines = [column_verdict(column, words)]
    if column.option is not None:
        lines += [phrases.place(column.option, words), phrases.cost(column.option, words)]
        lines.append(ages.age(column.option, words))
    elif column.verdict != "does_not_fit":
        lines.append(words.t(f"cards.no_offer_{column.verdict}"))
    if column.spot is not None and column.spot.recommend == "spot":
        lines.append(
            words.t(
                "cards.column_spot",
                usd_spot=column.spot.expected_usd_spot,
                expected_hours=column.spot.expected_hours_spot,
                provider=phrases.name(column.spot.provider),
            )
        )
    lines += [
        words.t("cards.column_instead", change=phrases.alternative(a, words))
        for a in column.alternatives[:1]
    ]
    return (*lines, *(phrases.say(one, words) for one in column.warnings))


def column_verdict(column: Column, words: Words) -> str:
    """Whether it fits, with the memory it takes of what there is."""
    usable = words.t("cards.unknown") if column.usable_gib is None else words.gib(column.usable_gib)
    rented = "" if column.option is None else phrases.machine(column.option, words)
    return words.t(
        f"cards.column_{column.verdict}",
        device_gib=column.estimate.device_gib,
        usable=usable,
        machine="" if rented in column.asked else rented,
    ).strip()


_COLUMNS = (
    "asked", "verdict", "gib", "machine", "provider", "usd_per_hour", "hours", "usd_total",
)  # fmt: skip


def comparison_rows(body: ComparisonBody, words: Words) -> tuple[tuple[str, ...], ...]:
    """A comparison as table cells under a row of headings: what differs, verdict, memory, machine,
    provider, price of an hour, hours, price of the run.
    """
    columns = (
        "asked",
        "verdict",
        "gib",
        "machine",
        "provider",
        "usd_per_hour",
        "hours",
        "usd_total",
    )
    headings = tuple(words.t(f"cards.column_{column}") for column in columns)
    return (headings, *(_comparison_cells(one, words) for one in body.columns))


def _comparison_cells(column: Column, words: Words) -> tuple[str, ...]:
    option, none = column.option, "-"
    return (
        column_title(column, words),
        words.t(f"cards.short_{column.verdict}"),
        words.gib(column.estimate.device_gib),
        phrases.machine(option, words) if option else none,
        clip(phrases.name(option.provider), phrases.CELL_LENGTH) if option else none,
        words.usd(option.usd_per_hour) if option else none,
        words.hours(option.hours) if option else none,
        words.usd(option.usd_total) if option else none,
    )
