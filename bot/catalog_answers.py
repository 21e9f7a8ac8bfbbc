"""What the commands of the price catalog answer, as text or JSON."""

import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bot.language import Words
from bot.machine import Output, jsonable, write_json
from planner.base import Frozen
from planner.catalog.history import PriceSpan, beside, open_history
from planner.catalog.refresh import refresh
from planner.catalog.reports import SourceReport
from planner.catalog.sources.source import Quarantined, Source
from planner.catalog.store import open_catalog, user_catalog
from planner.changes import Changes, Machine, changes
from planner.errors import NotFound
from planner.gpus import registry as gpus
from planner.plan.result import CatalogFacts

#: Rows that a text shows; JSON has all.
SHOWN = 20


class CatalogBody(Frozen):
    """The catalog as a whole: how old it is, and how many offers each card and source has."""

    path: str
    catalog: CatalogFacts
    sources: tuple[SourceReport, ...]
    offers_by_gpu: dict[str, int]


class SourcesBody(Frozen):
    """Every source of the catalog."""

    sources: tuple[SourceReport, ...]


class QuarantineBody(Frozen):
    """Rows that were not trusted."""

    rows: tuple[Quarantined, ...]


class HistoryBody(Frozen):
    """Price spans, machine by machine, each oldest first."""

    spans: tuple[PriceSpan, ...]


class TemplateBody(Frozen):
    """A documented example of a team's own price list."""

    text: str


def say_refreshed(sources: Sequence[Source], catalog: Path | None, out: Output) -> None:
    """Read `sources` into the catalog and write how each fared."""
    from bot.progress import bar

    path = catalog_path(catalog)
    with bar(out) as progress:
        report = refresh(sources, path, beside(path), datetime.now(UTC), progress)
    spoken = out.words()
    if out.json:
        write_json(jsonable(report, spoken))
        return
    _print(
        spoken.t(
            "cli.catalog_refreshed",
            path=str(path),
            offers=report.offers,
            rows=report.quarantined,
            changed=report.changed_prices,
        ),
        *_source_lines(report.sources, spoken),
    )


def say_catalog(catalog: Path | None, out: Output) -> None:
    """Write which prices the catalog holds and how old they are."""
    path = catalog if catalog is not None or not user_catalog().exists() else user_catalog()
    with open_catalog(path) as found:
        counts: dict[str, int] = {}
        for offer in found.offers():
            counts[offer.gpu] = counts.get(offer.gpu, 0) + 1
        body = CatalogBody(
            path=str(path or ""),
            catalog=found.facts(datetime.now(UTC)),
            sources=found.sources(),
            offers_by_gpu=dict(sorted(counts.items())),
        )
    spoken = out.words()
    if out.json:
        write_json(jsonable(body, spoken))
        return
    from bot.cards.ages import catalog as age_of

    _print(
        age_of(body.catalog, spoken),
        *_source_lines(body.sources, spoken),
        *(f"  {gpu:<26}{count:>7}" for gpu, count in body.offers_by_gpu.items()),
    )


def say_sources(catalog: Path | None, out: Output) -> None:
    """Write what each source said when it was last read."""
    with open_catalog(catalog) as found:
        body = SourcesBody(sources=found.sources())
    spoken = out.words()
    if out.json:
        write_json(jsonable(body, spoken))
    else:
        _print(*_source_lines(body.sources, spoken) or (spoken.t("cli.catalog_no_sources"),))


def say_quarantined(source: str | None, catalog: Path | None, out: Output) -> None:
    """Write the rows that were not trusted, and why."""
    with open_catalog(catalog) as found:
        body = QuarantineBody(rows=found.quarantined(source))
    spoken = out.words()
    if out.json:
        write_json(jsonable(body, spoken))
        return
    lines = [
        f"{one.source}  {one.line}  {one.instance_type}: {spoken.say(one.reason)}"
        for one in body.rows
    ]
    _print(*lines or (spoken.t("cli.catalog_nothing_aside"),))


def say_history(gpu: str | None, catalog: Path | None, out: Output) -> None:
    """Write every price a card's machines have had, first and last seen."""
    names = None if gpu is None else (gpus.find(gpu).gpu.name,)
    with open_history(beside(catalog_path(catalog))) as found:
        body = HistoryBody(spans=found.prices(gpus=names))
    if not body.spans:
        raise NotFound("cli.catalog_no_history", name=gpu or "")
    spoken = out.words()
    if out.json:
        write_json(jsonable(body, spoken))
        return
    _print(*(_span_line(span, spoken) for span in body.spans))


def say_template(as_json: bool) -> None:
    """Write a documented example of a team's own price list."""
    from planner.catalog.sources.team import template_text

    text = template_text()
    if as_json:
        write_json(TemplateBody(text=text).model_dump())
    else:
        sys.stdout.write(text)


def say_changes(before: Path, after: Path, threshold: float, out: Output) -> None:
    """Write what moved from one catalog file to another."""
    with open_catalog(before) as old, open_catalog(after) as new:
        found = changes(old.shapes(), new.shapes(), threshold)
    spoken = out.words()
    if out.json:
        write_json(jsonable(found, spoken))
        return
    _print(*_change_lines(found, spoken))


def catalog_path(catalog: Path | None) -> Path:
    """The catalog that is written: the one named, the deployment's, or the user's own."""
    from bot.settings import answer_settings

    return catalog or answer_settings().catalog or user_catalog()


def _source_lines(reports: Iterable[SourceReport], spoken: Words) -> list[str]:
    return [
        spoken.t(
            f"cli.catalog_source_{one.status}",
            name=one.name,
            rows=one.rows_read,
            offers=one.offers,
            aside=one.quarantined,
            why="" if one.note is None else spoken.say(one.note),
        )
        for one in reports
    ]


def _span_line(span: PriceSpan, spoken: Words) -> str:
    return spoken.t(
        "cli.catalog_span_current" if span.is_current else "cli.catalog_span_past",
        machine=f"{span.gpu_count}x {span.gpu} {span.provider} {span.instance_type}",
        region=span.region or "?",
        market=spoken.t(f"cards.market_{span.market}"),
        usd_per_hour=span.usd_per_hour,
        first=span.first_seen.date().isoformat(),
        last=span.last_seen.date().isoformat(),
    )


def _change_lines(found: Changes, spoken: Words) -> list[str]:
    if found.are_none:
        return [spoken.t("changes.none")]
    lines = [
        spoken.t(
            "changes.new_low" if one.old_usd_per_gpu_hour is not None else "changes.first_price",
            gpu=one.gpu,
            market=spoken.t(f"cards.market_{one.market}"),
            old_usd=one.old_usd_per_gpu_hour or 0.0,
            new_usd=one.new_usd_per_gpu_hour,
            machine=_machine(one.machine, spoken),
        )
        for one in found.new_lows[:SHOWN]
    ]
    lines += [
        spoken.t(
            "changes.move",
            machine=_machine(one.machine, spoken),
            old_usd=one.old_usd_per_hour,
            new_usd=one.new_usd_per_hour,
            moved_fraction=one.fraction,
        )
        for one in found.moves[:SHOWN]
    ]
    for code, listed in (("appeared", found.appeared), ("vanished", found.vanished)):
        lines += [
            spoken.t(
                f"changes.{code}",
                machine=_machine(one.machine, spoken),
                usd_per_hour=one.usd_per_hour,
            )
            for one in listed[:SHOWN]
        ]
    left = sum(
        max(0, len(part) - SHOWN)
        for part in (found.new_lows, found.moves, found.appeared, found.vanished)
    )
    return [*lines, spoken.t("changes.more", count=left)] if left else lines


def _machine(machine: Machine, spoken: Words) -> str:
    where = ", ".join(region for region in machine.regions[:3] if region)
    more = f" +{len(machine.regions) - 3}" if len(machine.regions) > 3 else ""
    name = f"{machine.gpu_count}x {machine.gpu} {machine.provider} {machine.instance_type}"
    market = spoken.t(f"cards.market_{machine.market}")
    return f"{name} ({market}{', ' if where else ''}{where}{more})"


def _print(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
