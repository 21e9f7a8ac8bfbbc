"""What a watch asks for: the question without its limit, the limit, and which price it is about."""

from typing import NamedTuple

from bot.grammar import read
from bot.grammar.command import Command
from planner.errors import BadInput
from planner.notes import Note
from planner.query import Language
from planner.watching import WatchedFigure

#: What is said of how the limit was read belongs to the limit, not to the plan.
_OF_THE_LIMIT = frozenset({
    "grammar.amount_hourly_or", "grammar.amount_total_or", "grammar.budget_taken_hourly",
    "grammar.budget_taken_total", "grammar.per_gpu_price", "grammar.rupiah_converted",
    "grammar.rupiah_converted_hourly",
})  # fmt: skip


class Wish(NamedTuple):
    """`asked` is planned or priced as it stands, without any limit on money; `limit_usd` is None
    where none was said, `limit_notes` tell how it was read.
    """

    asked: Command
    figure: WatchedFigure
    limit_usd: float | None
    limit_notes: tuple[Note, ...]


def read_wish(text: str, language: Language, usd_per_idr: float) -> Wish:
    """The wish in `text`; BadInput where it names nothing to watch, or two limits.

    A model is watched by the price of its run, or of an hour of the cheapest machine where the
    limit is per hour; cards without a model by the price of one GPU for an hour, on-demand unless
    the text says spot.
    """
    asked = read(f"/watch {text}", usd_per_idr=usd_per_idr, reader=language)
    total, hour = asked.max_usd_total, asked.max_usd_per_hour
    if total is not None and hour is not None:
        raise BadInput("watches.two_limits", usd_total=total, usd_per_hour=hour)
    if any(limit is not None and limit <= 0 for limit in (total, hour)):
        raise BadInput("watches.limit_zero")
    plain = asked.model_copy(
        update={
            "max_usd_total": None,
            "max_usd_per_hour": None,
            "notes": tuple(one for one in asked.notes if one.code not in _OF_THE_LIMIT),
        }
    )
    said = tuple(one for one in asked.notes if one.code in _OF_THE_LIMIT)
    if asked.model is not None:
        return Wish(plain, "run" if hour is None else "hour", total or hour, said)
    return _of_cards(plain, total, hour, said)


def _of_cards(
    asked: Command, total: float | None, hour: float | None, said: tuple[Note, ...]
) -> Wish:
    closed = next((one for one in asked.notes if one.code == "grammar.closed_model"), None)
    if closed is not None:
        raise BadInput("grammar.closed_model", name=closed.values["name"])
    if not (asked.gpus or asked.gpu or asked.vram_gib):
        unknown = next((one for one in asked.notes if one.code == "grammar.gpu_unknown"), None)
        if unknown is not None:
            values = unknown.values
            raise BadInput("gpus.unknown", name=values["typed"], nearest=values["nearest"])
        raise BadInput("watches.nothing_named")
    if total is not None:
        raise BadInput("watches.cards_by_the_hour")
    market = asked.market or "on_demand"
    per_gpu = None if hour is None else hour / (asked.gpu_count or 1)
    return Wish(asked.model_copy(update={"market": market}), "gpu_hour", per_gpu, said)
