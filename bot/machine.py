"""The machine interface: answers as JSON, one line out for one line in, and their schemas."""

import json
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import BaseModel

from bot.language import DEFAULT_LANGUAGE, Words, words
from planner.errors import BadInput, Refusal
from planner.memory.result import MemoryEstimate
from planner.query import Language

if TYPE_CHECKING:
    from bot.grammar.command import Command

Answerer = Callable[[Mapping[str, object]], BaseModel]


class Output(NamedTuple):
    """How to answer: as JSON or for people, and in which language (None: the question's own)."""

    json: bool
    language: Language | None

    def words(self, spoken: Language = DEFAULT_LANGUAGE) -> Words:
        """The words to answer a question in, which was asked in `spoken`."""
        return words(self.language or spoken)


def answer_batch(answer: Answerer, out: Output) -> None:
    """Answer JSON Lines from standard input; a bad line gets an error and the rest goes on."""
    for raw in sys.stdin:
        if not raw.strip():
            continue
        sys.stdout.write(_answer_line(raw, answer, out) + "\n")


def say_parsed(command: "Command", out: Output) -> None:
    """Write how a text was read."""
    spoken = out.words(command.language)
    said = jsonable(command, spoken)
    if out.json:
        write_json(said)
        return
    for key, value in said.items():
        if value not in (None, [], {}) and key != "notes":
            sys.stdout.write(f"{key:<18} {_plain(value)}\n")
    for one in command.notes:
        sys.stdout.write(f"- {spoken.say(one)}\n")


def say_estimate(estimate: MemoryEstimate, out: Output) -> None:
    """Write one memory estimate."""
    spoken = out.words()
    if out.json:
        write_json(jsonable(estimate, spoken))
        return
    parts = {name: value for name, value in estimate.breakdown.parts() if value >= 0.05}
    lines = [
        spoken.t(
            "cli.estimate_line",
            device_gib=estimate.device_gib,
            low_gib=estimate.low_gib,
            high_gib=estimate.high_gib,
            phase=estimate.peak_phase,
        ),
        *(f"  {name:<14}{spoken.gib(value):>8}" for name, value in parts.items()),
        *(f"- {spoken.say(one)}" for one in (*estimate.warnings, *estimate.assumptions)),
    ]
    sys.stdout.write("\n".join(lines) + "\n")


def say_answer(
    name: str, text: str, out: Output, catalog_file: Path | None, *, explained: bool = False
) -> int:
    """Write the answer of the command `name` to `text`; 1 where the answer is no. A plan is
    followed by its formulas where it is to be `explained`.
    """
    from bot.reading import read_text
    from bot.settings import answer_settings

    typed = text.strip()
    asked = read_text(typed if typed.startswith("/") else f"/{name} {typed}", out.language)
    spoken = out.words(asked.language)
    catalog = catalog_file or answer_settings().catalog
    now = datetime.now(UTC)
    if explained or asked.command == "explain":
        return _say_explained(asked, catalog, now, out, spoken)
    return _SAYERS.get(asked.command, _SAYERS[name])(asked, catalog, now, out, spoken)


def _say_fit(
    asked: "Command", catalog: Path | None, now: datetime, out: Output, spoken: Words
) -> int:
    from bot.planning import plan_for

    planned = plan_for(asked, catalog, now)
    if out.json:
        write_json(jsonable(planned.plan, spoken))
    else:
        from bot.cards.fit import fit_card
        from bot.console import show

        show(fit_card(planned.plan, planned.architecture.display_name), spoken)
    return 1 if planned.plan.verdict == "does_not_fit" else 0


def _say_explained(
    asked: "Command", catalog: Path | None, now: datetime, out: Output, spoken: Words
) -> int:
    from bot.planning import plan_for
    from planner.explain.explain import explain

    planned = plan_for(asked, catalog, now)
    figures = explain(planned.plan)
    if out.json:
        said = [jsonable(one, spoken) for one in figures]
        write_json({**jsonable(planned.plan, spoken), "explain": said})
    else:
        from bot.cards.explain import explain_card
        from bot.cards.fit import fit_card
        from bot.console import show

        model = planned.architecture.display_name
        show(fit_card(planned.plan, model), spoken)
        sys.stdout.write("\n")
        show(explain_card(figures, model), spoken)
    return 1 if planned.plan.verdict == "does_not_fit" else 0


def _say_prices(
    asked: "Command", catalog: Path | None, now: datetime, out: Output, spoken: Words
) -> int:
    from bot.pricing import prices_for

    body = prices_for(asked, catalog, now)
    if out.json:
        write_json(jsonable(body, spoken))
    else:
        from bot.cards.prices import prices_card
        from bot.console import show

        show(prices_card(body.rows, body.catalog, (*asked.notes, *body.warnings)), spoken)
    return 0 if body.rows else 1


def _say_compare(
    asked: "Command", catalog: Path | None, now: datetime, out: Output, spoken: Words
) -> int:
    from bot.comparing import compared, is_comparison

    if not is_comparison(asked):
        return _say_prices(asked, catalog, now, out, spoken)
    found = compared(asked, catalog, now)
    if out.json:
        write_json(jsonable(found, spoken))
    else:
        from bot.cards.compare import compare_card
        from bot.console import show

        show(compare_card(found), spoken)
    return 1 if all(one.verdict == "does_not_fit" for one in found.columns) else 0


def say_asked(text: str, out: Output, catalog_file: Path | None) -> int:
    """Write the answer to a question in plain words; 1 where there is none."""
    from bot.faq.asking import ask
    from bot.settings import answer_settings

    catalog = catalog_file or answer_settings().catalog
    asked = ask(text, out.language or DEFAULT_LANGUAGE, catalog, datetime.now(UTC))
    spoken = out.words(asked.language)
    if out.json:
        from bot.faq.answer import answer_of

        write_json(jsonable(answer_of(asked, spoken), spoken))
    else:
        from bot.cards.answer import answer_card
        from bot.console import show

        show(answer_card(asked), spoken)
    return 0 if asked.is_answered else 1


def ask_line(out: Output, catalog_file: Path | None) -> Answerer:
    """Answers one JSON object with a text."""
    from bot.faq.answer import answer_of
    from bot.faq.asking import ask
    from bot.settings import answer_settings

    catalog = catalog_file or answer_settings().catalog

    def answer(line: Mapping[str, object]) -> BaseModel:
        text = line.get("text")
        if not isinstance(text, str):
            raise BadInput("cli.no_text")
        asked = ask(text, out.language or DEFAULT_LANGUAGE, catalog, datetime.now(UTC))
        return answer_of(asked, out.words(asked.language))

    return answer


def _say_help(
    asked: "Command", catalog: Path | None, now: datetime, out: Output, spoken: Words
) -> int:
    from bot.commands.registry import Asking, all_commands
    from bot.console import show

    card = all_commands()["help"].answer(asked, Asking(catalog, now, spoken.language))
    if out.json:
        write_json(jsonable(card, spoken))
    else:
        show(card, spoken)
    return 0


_SAYERS: dict[str, Callable[["Command", Path | None, datetime, Output, Words], int]] = {
    "fit": _say_fit,
    "compare": _say_compare,
    "prices": _say_prices,
    "help": _say_help,
}


def say_rendered(card_name: str, surface: str, out: Output) -> None:
    """Write a sample card as one surface gets it."""
    from bot.cards.sample import sample_card
    from bot.render import render

    spoken = out.words()
    card = sample_card(card_name)
    surfaces: dict[str, Callable[[], str | dict[str, object]]] = {
        "slack": lambda: render(card, "slack", spoken),
        "discord": lambda: render(card, "discord", spoken),
        "console": lambda: render(card, "console", spoken),
        "web": lambda: render(card, "web", spoken),
    }
    if surface not in surfaces:
        raise BadInput("cli.unknown_surface", surface=surface, known=tuple(surfaces))
    payload = surfaces[surface]()
    if isinstance(payload, str) and not out.json:
        sys.stdout.write(payload)
    else:
        write_json(payload if isinstance(payload, dict) else {"text": payload})


def say_accuracy(out: Output, *, of_speed: bool) -> None:
    """Write the product's own error on the measured runs it ships: of memory, or of speed."""
    from bot.accuracy_table import accuracy_text, speed_text
    from planner.accuracy.report import accuracy
    from planner.accuracy.speeds import speed_accuracy

    spoken = out.words()
    if of_speed:
        speeds = speed_accuracy()
        text, found = speed_text(speeds, spoken), jsonable(speeds, spoken)
    else:
        report = accuracy()
        text, found = accuracy_text(report, spoken), jsonable(report, spoken)
    if out.json:
        write_json(found)
    else:
        sys.stdout.write(text)


def say_schema(command: str) -> None:
    """Write the JSON Schema of a command's output."""
    from bot.cards.bodies import PricesBody
    from bot.catalog_answers import (
        CatalogBody,
        HistoryBody,
        QuarantineBody,
        SourcesBody,
        TemplateBody,
    )
    from bot.digests.answers import DueBody, SubscriptionsBody
    from bot.doctor.doctor import Diagnosis
    from bot.faq.answer import AskAnswer
    from bot.grammar.command import Command
    from planner.accuracy.report import AccuracyReport
    from planner.accuracy.speeds import SpeedReport
    from planner.catalog.refresh import RefreshReport
    from planner.changes import Changes
    from planner.plan.compare import Comparison
    from planner.plan.result import Plan
    from planner.recipe.recipe import Recipe
    from planner.spot.answer import SpotAnswer

    outputs: dict[str, type[BaseModel]] = {
        "parse": Command,
        "estimate": MemoryEstimate,
        "fit": Plan,
        "compare": Comparison,
        "ask": AskAnswer,
        "recipe": Recipe,
        "spot": SpotAnswer,
        "prices": PricesBody,
        "doctor": Diagnosis,
        "accuracy": AccuracyReport,
        "accuracy-speed": SpeedReport,
        "catalog-refresh": RefreshReport,
        "catalog-show": CatalogBody,
        "catalog-sources": SourcesBody,
        "catalog-quarantine": QuarantineBody,
        "catalog-history": HistoryBody,
        "catalog-template": TemplateBody,
        "digest-preview": Changes,
        "digest-list": SubscriptionsBody,
        "digest-run": DueBody,
    }
    if command not in outputs:
        raise BadInput("cli.unknown_schema", command=command, known=tuple(outputs))
    write_json(outputs[command].model_json_schema(mode="serialization"))


def _answer_line(raw: str, answer: Answerer, out: Output) -> str:
    spoken = out.words()
    try:
        line = json.loads(raw)
        if not isinstance(line, dict):
            raise BadInput("cli.not_json")
        found = answer(line)
    except (ValueError, RecursionError):
        return json.dumps({"error": spoken.t("cli.not_json")}, ensure_ascii=False)
    except Refusal as refusal:
        return json.dumps({"error": spoken.say(refusal.note)}, ensure_ascii=False)
    said = out.words(getattr(found, "language", DEFAULT_LANGUAGE))
    return json.dumps(jsonable(found, said), ensure_ascii=False)


def jsonable(model: BaseModel, spoken: Words) -> dict[str, object]:
    """The model's JSON with its notes as words."""
    return model.model_dump(mode="json", context={"say": spoken.say})


def write_json(value: object) -> None:
    """Write one JSON object and a line end."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    if isinstance(value, dict):
        return ", ".join(f"{key}={one}" for key, one in value.items())
    return str(value)
