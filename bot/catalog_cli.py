"""`muat catalog ...` and `muat digest ...`: the command line of the price catalog."""

from pathlib import Path
from typing import Annotated

import typer

from bot.machine import Output
from planner.query import Language

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Lang = Annotated[str | None, typer.Option("--lang", help="en or id.", metavar="en|id")]
File = Annotated[
    Path | None, typer.Option("--catalog", help="A catalog file instead of the usual one.")
]
SourceName = Annotated[str | None, typer.Argument(help="A source, such as skypilot:lambda.")]
Gpu = Annotated[str | None, typer.Argument(help="A card, such as h100.")]

catalog = typer.Typer(
    help="The price catalog: where it comes from, how old it is, what was set aside.",
    no_args_is_help=True,
)
digest = typer.Typer(help="Price digests: who has one, what it says.", no_args_is_help=True)


@catalog.command()
def refresh(json: Json = False, lang: Lang = None, catalog: File = None) -> None:
    """Read the bundled sample and every published price list; what fails keeps its rows."""
    import os

    from bot.catalog_answers import say_refreshed
    from planner.catalog.feeds import default_sources

    say_refreshed(default_sources(os.environ), catalog, _output(json, lang))


@catalog.command("import")
def import_(
    places: Annotated[list[str], typer.Argument(help="SkyPilot CSV (path or URL), YAML or CSV.")],
    provider: Annotated[str | None, typer.Option(help="Whose list it is.")] = None,
    json: Json = False,
    lang: Lang = None,
    catalog: File = None,
) -> None:
    """Read price lists into the catalog; the rows of other sources stay."""
    from bot.catalog_answers import say_refreshed
    from planner.catalog.feeds import source_for

    sources = tuple(source_for(place, provider) for place in places)
    say_refreshed(sources, catalog, _output(json, lang))


@catalog.command()
def show(json: Json = False, lang: Lang = None, catalog: File = None) -> None:
    """Show which prices the catalog holds and how old they are."""
    from bot.catalog_answers import say_catalog

    say_catalog(catalog, _output(json, lang))


@catalog.command()
def sources(json: Json = False, lang: Lang = None, catalog: File = None) -> None:
    """Show what each source said when it was last read."""
    from bot.catalog_answers import say_sources

    say_sources(catalog, _output(json, lang))


@catalog.command()
def quarantine(
    source: SourceName = None, json: Json = False, lang: Lang = None, catalog: File = None
) -> None:
    """Show the rows that were not trusted, and why."""
    from bot.catalog_answers import say_quarantined

    say_quarantined(source, catalog, _output(json, lang))


@catalog.command()
def history(gpu: Gpu = None, json: Json = False, lang: Lang = None, catalog: File = None) -> None:
    """Show every price a machine has had, first and last seen."""
    from bot.catalog_answers import say_history

    say_history(gpu, catalog, _output(json, lang))


@catalog.command()
def template(json: Json = False) -> None:
    """Print a documented example of a team's own price list."""
    from bot.catalog_answers import say_template

    say_template(json)


@digest.command()
def preview(
    before: Annotated[Path, typer.Option("--from", help="The older catalog file.")],
    after: Annotated[Path, typer.Option("--to", help="The newer catalog file.")],
    threshold: Annotated[float, typer.Option(help="Least move in per cent.")] = 5.0,
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Show what moved from one catalog to another."""
    from bot.catalog_answers import say_changes

    say_changes(before, after, threshold / 100, _output(json, lang))


@digest.command("list")
def list_(json: Json = False, lang: Lang = None) -> None:
    """Show which channels have a digest, and which are paused."""
    from bot.digests.answers import say_subscriptions

    say_subscriptions(_output(json, lang))


@digest.command()
def run(
    at: Annotated[str, typer.Option("--at", help="A time with its zone, 2026-12-07T09:00+07:00.")],
    json: Json = False,
    lang: Lang = None,
    catalog: File = None,
) -> None:
    """Show what would be sent at a time; nothing is sent and nothing is kept."""
    from bot.digests.answers import say_due

    say_due(at, catalog, _output(json, lang))


def _output(json: bool, lang: str | None) -> Output:
    from planner.errors import BadInput

    if lang not in (None, "en", "id"):
        raise BadInput("cli.unknown_language", language=lang or "")
    language: Language | None = lang  # type: ignore[assignment]  # narrowed by the lines above
    return Output(json=json, language=language)
