"""Where the tokens per second come from."""

from collections.abc import Iterator

from planner.explain.figure import Figure
from planner.notes import note
from planner.plan.result import Option
from planner.speed.pace import OVERLAP

_FORMULA = (
    "workers * tokens * accumulation / (accumulation * ((arithmetic_s + memory_s)**{n} "
    "+ kernels_s**{n} + (links_s + host_s)**{n})**(1 / {n}) + optimizer_s)"
)


def speed_figures(option: Option) -> Iterator[Figure]:
    """Tokens per second of the whole job, and the likely range."""
    step = option.step
    yield Figure(
        name="tokens_per_s",
        value=option.tokens_per_s,
        unit="tokens/s",
        formula=_FORMULA.format(n=OVERLAP),
        inputs={
            "workers": float(step.workers),
            "tokens": float(step.tokens),
            "accumulation": float(option.gradient_accumulation),
            "arithmetic_s": step.arithmetic_s,
            "memory_s": step.memory_s,
            "kernels_s": step.kernels_s,
            "links_s": step.links_s,
            "host_s": step.host_s,
            "optimizer_s": step.optimizer_s,
        },
        source=note("explain.from_pace"),
    )
    pace = option.tokens_per_s
    yield Figure(
        name="tokens_per_s_low",
        value=option.tokens_per_s_low,
        unit="tokens/s",
        formula="tokens_per_s * low_share",
        inputs={"tokens_per_s": pace, "low_share": option.tokens_per_s_low / pace},
        source=note("explain.from_pace_low"),
    )
    yield Figure(
        name="tokens_per_s_high",
        value=option.tokens_per_s_high,
        unit="tokens/s",
        formula="tokens_per_s * high_share",
        inputs={"tokens_per_s": pace, "high_share": option.tokens_per_s_high / pace},
        source=note("explain.from_pace_high"),
    )
