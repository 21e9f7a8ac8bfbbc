"""The command line. Each command imports what it needs when it runs, and nothing before."""

from pathlib import Path
from typing import Annotated

import typer

from bot.catalog_cli import catalog, digest
from bot.machine import Output
from planner.query import Language

_TEXT_SETTINGS = {"ignore_unknown_options": True}

app = typer.Typer(
    name="muat",
    help="Does a fine-tune fit, what to rent, will spot pay off, how often to checkpoint.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.add_typer(catalog, name="catalog")
app.add_typer(digest, name="digest")

slack = typer.Typer(help="Answer Slack; see also `muat slack manifest`.")
app.add_typer(slack, name="slack")
discord = typer.Typer(help="Answer Discord; see also `muat discord invite`.")
app.add_typer(discord, name="discord")

Text = Annotated[list[str] | None, typer.Argument(help="What to ask, in plain words.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Batch = Annotated[bool, typer.Option("--batch", help="Read JSON Lines, answer JSON Lines.")]
Lang = Annotated[str | None, typer.Option("--lang", help="en or id.", metavar="en|id")]
CatalogFile = Annotated[
    Path | None, typer.Option("--catalog", help="A catalog file instead of the usual one.")
]


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit status; mistakes become one sentence on stderr."""
    from bot.failures import explained

    return explained(lambda: app(arguments, standalone_mode=False), arguments)


@app.command(context_settings=_TEXT_SETTINGS)
def parse(text: Text = None, json: Json = False, batch: Batch = False, lang: Lang = None) -> None:
    """Show how a text is read."""
    from bot.machine import answer_batch, say_parsed
    from bot.reading import read_line, read_text

    out = _output(json, lang)
    if batch:
        answer_batch(read_line, out)
    else:
        say_parsed(read_text(_joined(text)), out)


@app.command(context_settings=_TEXT_SETTINGS)
def estimate(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="MODEL METHOD [key=value ...]")
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", help="A config.json in place of MODEL.")
    ] = None,
    json: Json = False,
    batch: Batch = False,
    lang: Lang = None,
) -> None:
    """Estimate the memory of one training job."""
    from bot.estimating import estimate_line, estimate_words
    from bot.machine import answer_batch, say_estimate

    out = _output(json, lang)
    if batch:
        answer_batch(estimate_line, out)
    else:
        say_estimate(estimate_words(tuple(words or ()), config), out)


@app.command(context_settings=_TEXT_SETTINGS)
def fit(
    text: Text = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Every number with its formula and inputs.")
    ] = False,
    json: Json = False,
    lang: Lang = None,
    catalog: CatalogFile = None,
) -> None:
    """Say whether a fine-tune fits, what to rent, spot or on-demand, how often to checkpoint."""
    _answer("fit", text, json, lang, catalog, explained=explain)


@app.command(context_settings=_TEXT_SETTINGS)
def compare(
    text: Text = None,
    on: Annotated[
        str, typer.Option("--on", help='What to compare it on, such as "a100-80, h100, 2x4090".')
    ] = "",
    json: Json = False,
    lang: Lang = None,
    catalog: CatalogFile = None,
) -> None:
    """Compare GPUs, methods, models or providers side by side."""
    cards = " vs ".join(card.strip() for card in on.split(",") if card.strip())
    _answer("compare", [*(text or ()), *([f"on {cards}"] if cards else [])], json, lang, catalog)


@app.command(context_settings=_TEXT_SETTINGS)
def recipe(
    text: Text = None,
    target: Annotated[
        str | None, typer.Option("--for", help="skypilot, dstack, trl or accelerate.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--out", help="A folder to write the files into.")
    ] = None,
    json: Json = False,
    lang: Lang = None,
    catalog: CatalogFile = None,
) -> None:
    """Write files that run exactly the plan."""
    from bot.recipe_files import say_recipe

    say_recipe(_joined(text), target, folder, catalog, _output(json, lang))


@app.command(context_settings=_TEXT_SETTINGS)
def prices(
    text: Text = None,
    json: Json = False,
    lang: Lang = None,
    catalog: CatalogFile = None,
    history: Annotated[
        bool, typer.Option("--history", help="Every price of the card named, first and last seen.")
    ] = False,
) -> None:
    """Show what GPUs cost, cheapest first."""
    if history:
        from bot.catalog_answers import say_history

        say_history(_joined(text) or None, catalog, _output(json, lang))
    else:
        _answer("prices", text, json, lang, catalog)


@app.command(context_settings=_TEXT_SETTINGS)
def ask(
    text: Text = None,
    json: Json = False,
    batch: Batch = False,
    lang: Lang = None,
    catalog: CatalogFile = None,
) -> None:
    """Answer a question about fine-tuning on rented GPUs, in English or Indonesian."""
    from bot.machine import answer_batch, ask_line, say_asked

    out = _output(json, lang)
    if batch:
        answer_batch(ask_line(out, catalog), out)
    else:
        raise typer.Exit(say_asked(_joined(text), out, catalog))


@app.command(context_settings=_TEXT_SETTINGS)
def spot(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[hours= on_demand= spot= ... | TEXT]",
            help="hours on_demand spot interruptions_per_hour outage_hours save_seconds "
            "load_seconds deadline_hours notice_seconds provider, or the same in plain words.",
        ),
    ] = None,
    json: Json = False,
    batch: Batch = False,
    lang: Lang = None,
) -> None:
    """Say whether a job should run on spot or on-demand, and how often to checkpoint."""
    from bot.machine import answer_batch
    from bot.spotting import say_spot, spot_line, spot_words

    out = _output(json, lang)
    if batch:
        answer_batch(spot_line, out)
    else:
        say_spot(spot_words(tuple(words or ()), out.language), out)


@app.command()
def render(
    card: Annotated[str, typer.Argument(help="The name of a sample card.")],
    surface: Annotated[str, typer.Option(help="slack, discord, console or web.")] = "console",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Lay out a sample card, for people who restyle templates."""
    from bot.machine import say_rendered

    say_rendered(card, surface, _output(json, lang))


@app.command()
def schema(
    command: Annotated[str, typer.Argument(help="A command, such as fit or catalog-history.")],
    json: Json = False,
) -> None:
    """Print the JSON Schema of a command's output."""
    from bot.machine import say_schema

    say_schema(command)


@app.command()
def accuracy(
    speed: Annotated[bool, typer.Option("--speed", help="Of tokens per second.")] = False,
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Show the estimator's own error on the measured runs it ships."""
    from bot.machine import say_accuracy

    say_accuracy(_output(json, lang), of_speed=speed)


@app.command()
def serve() -> None:
    """Run every process that is configured, in one."""
    _process("serve")


@slack.callback(invoke_without_command=True)
def answer_slack(context: typer.Context) -> None:
    """Answer Slack."""
    if context.invoked_subcommand is None:
        _process("slack")


@slack.command()
def manifest(
    url: Annotated[
        str | None, typer.Option("--url", help="Where Slack posts to; Socket Mode without it.")
    ] = None,
    unasked: Annotated[
        bool, typer.Option("--unasked", help="Let it read along in channels it is a member of.")
    ] = False,
    json: Json = False,
) -> None:
    """Print the manifest that makes the app in Slack."""
    from bot.slack.manifest import say_manifest

    say_manifest(url, unasked, json)


@discord.callback(invoke_without_command=True)
def answer_discord(context: typer.Context) -> None:
    """Answer Discord."""
    if context.invoked_subcommand is None:
        _process("discord")


@discord.command()
def invite(json: Json = False) -> None:
    """Print the link that adds Muat to a server."""
    from bot.discord.invite import say_invite

    say_invite(json)


@app.command()
def doctor(json: Json = False, lang: Lang = None) -> None:
    """Say what a deployment has, lacks and has wrong, each with a hint."""
    from bot.doctor.doctor import say_diagnosis

    raise typer.Exit(say_diagnosis(_output(json, lang)))


@app.command()
def web() -> None:
    """Answer HTTP."""
    _process("web")


@app.command()
def worker() -> None:
    """Send digests and refresh prices."""
    _process("worker")


def _answer(
    name: str,
    text: list[str] | None,
    json: bool,
    lang: str | None,
    catalog: Path | None,
    explained: bool = False,
) -> None:
    from bot.machine import say_answer

    status = say_answer(name, _joined(text), _output(json, lang), catalog, explained=explained)
    raise typer.Exit(status)


def _process(name: str) -> None:
    from bot.processes import run_process

    run_process(name)


def _joined(text: list[str] | None) -> str:
    return " ".join(text or ())


def _output(json: bool, lang: str | None) -> Output:
    return Output(json=json, language=_language(lang))


def _language(lang: str | None) -> Language | None:
    from planner.errors import BadInput

    if lang is None or lang in ("en", "id"):
        return lang  # type: ignore[return-value]  # narrowed by the line above
    raise BadInput("cli.unknown_language", language=lang)
