"""The product's own error as text: what `muat accuracy` prints."""

from bot.language import Words
from planner.accuracy.left_out import KINDS
from planner.accuracy.report import AccuracyReport, CardVerdicts, GroupError


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
        f"{'':<22}{'runs':>6}{'median':>9}{'p90':>9}{'worst':>9}{'bias':>9}",
    ]
    lines += _error_lines(report.groups)
    lines += ["", spoken.t("cli.accuracy_vision"), *_error_lines(report.vision)]
    lines += ["", spoken.t("cli.accuracy_left_out"), _left_out_head(), *_left_out_lines(report)]
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


def _left_out_head() -> str:
    return f"{'':<22}" + "".join(f"{kind.replace('_', ' '):>18}" for kind in KINDS)


def _left_out_lines(report: AccuracyReport) -> list[str]:
    found = {(one.kind, one.source): one for one in report.left_out}
    lines = []
    for source in sorted({one.source for one in report.left_out}):
        row = (found[kind, source] for kind in KINDS)
        cells = "".join(f"{one.median:>9.1%} {one.p90:>7.1%} " for one in row)
        lines.append(f"source   {source or 'mean':<13}{cells}")
    return lines
