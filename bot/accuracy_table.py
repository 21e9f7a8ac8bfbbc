"""The product's own error as text: what `muat accuracy` prints."""

from bot.language import Words
from planner.accuracy.left_out import KINDS, LeftOut
from planner.accuracy.report import AccuracyReport, CardVerdicts, GroupError
from planner.accuracy.speeds import SpeedReport

_HEADINGS = f"{'':<22}{'runs':>6}{'median':>9}{'p90':>9}{'worst':>9}{'bias':>9}"


def accuracy_text(report: AccuracyReport, spoken: Words) -> str:
    """Errors over all, by group, and with models and sources left out of the fit."""
    lines = [
        spoken.t(
            "cli.accuracy_overall",
            runs=report.runs,
            median_fraction=report.median,
            p90_fraction=report.p90,
        ),
        spoken.t(
            "cli.accuracy_inside",
            inside_fraction=report.inside_fraction,
            runs=report.inside_runs,
        ),
        *(_verdict_line(one, spoken) for one in report.verdicts),
        "",
        _HEADINGS,
    ]
    lines += _error_lines(report.groups)
    lines += ["", spoken.t("cli.accuracy_vision"), *_error_lines(report.vision)]
    lines += ["", spoken.t("cli.accuracy_left_out"), *_left_out_lines(report.left_out, "mean")]
    return "\n".join(lines) + "\n"


def speed_text(report: SpeedReport, spoken: Words) -> str:
    """Errors of tokens per second, the share of runs in the range, and what was left out."""
    lines = [
        spoken.t(
            "cli.speed_overall",
            runs=report.runs,
            median_fraction=report.median,
            p90_fraction=report.p90,
        ),
        spoken.t("cli.speed_inside", inside_fraction=report.inside_fraction, runs=report.runs),
        "",
        _HEADINGS,
        *_error_lines(report.groups),
        "",
        spoken.t("cli.accuracy_left_out"),
        *_left_out_lines(report.left_out, "all runs"),
    ]
    return "\n".join(lines) + "\n"


def _error_lines(groups: tuple[GroupError, ...]) -> list[str]:
    return [
        f"{one.by:<8} {one.name:<13}{one.runs:>6}"
        + "".join(f"{share:>8.1%} " for share in (one.median, one.p90, one.worst))
        + f"{one.bias:>+8.1%}"
        for one in groups
    ]


def _verdict_line(verdicts: CardVerdicts, spoken: Words) -> str:
    return spoken.t(
        "cli.accuracy_verdicts",
        quality=verdicts.quality,
        oom_runs=verdicts.oom_runs,
        oom_wrong=len(verdicts.oom_called_fits),
        ran_runs=verdicts.ran_runs,
        ran_wrong=len(verdicts.ran_called_too_big),
    )


def _left_out_lines(left_out: tuple[LeftOut, ...], overall: str) -> list[str]:
    """A table of what was left out; `overall` names the line that is of no single source."""
    found = {(one.kind, one.source): one for one in left_out}
    lines = [f"{'':<22}" + "".join(f"{kind.replace('_', ' '):>18}" for kind in KINDS)]
    for source in sorted({one.source for one in left_out}):
        row = (found[kind, source] for kind in KINDS)
        cells = "".join(f"{one.median:>9.1%} {one.p90:>7.1%} " for one in row)
        lines.append(f"source   {source or overall:<13}{cells}")
    return lines
