"""What cards and stacks make of a training step's work: fitted or assumed figures, as data."""

from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows
from planner.gpus.gpu import Gpu

_PACKAGE = "planner.speed"


class Figures(NamedTuple):
    """The figures that hold for every card.

    Shares of a peak: `attention_share` of its arithmetic, `memory_share` of its bandwidth,
    `nvlink_share` and `pcie_share` of a link's one-way rate, `offload_share` of the host's.
    Seconds of a micro-batch, and of a layer's, an adapted linear's, an expert's and a sharded
    layer's pass, that no card is faster than.
    `elementwise` and `adapter` multiply those bytes, `dequantise_bytes` is moved per weight.
    """

    attention_share: float
    memory_share: float
    elementwise: float
    adapter: float
    dequantise_bytes: float
    batch_seconds: float
    layer_seconds: float
    adapter_seconds: float
    expert_seconds: float
    sharded_seconds: float
    nvlink_share: float
    pcie_share: float
    offload_share: float


class CardShare(NamedTuple):
    """Share of its peak that a class of cards reaches in matrix products."""

    share: float
    is_assumed: bool


@cache
def figures() -> Figures:
    """The fitted figures (data/figures.csv)."""
    rows = {row["name"]: float(row["value"]) for row in read_rows(_PACKAGE, "figures.csv")}
    return Figures(**rows)


def card_class(gpu: Gpu) -> str:
    """The class of data/cards.csv that `gpu` belongs to: its generation, and where it is used."""
    return f"{gpu.architecture} {gpu.kind}"


def card_share(gpu: Gpu) -> CardShare:
    """What `gpu` reaches in matrix products, and whether anybody measured its class."""
    shares = _card_shares()
    return shares.get(card_class(gpu)) or shares.get(gpu.architecture) or shares["*"]


def assumed_share(name: str) -> float:
    """What is assumed of the class `name` without a measurement of it: its generation's share."""
    shares = _card_shares()
    return (shares.get(name.rsplit(" ", 1)[0]) or shares["*"]).share


@cache
def _card_shares() -> dict[str, CardShare]:
    return {
        row["class"]: CardShare(float(row["gemm_share"]), row["basis"] == "assumed")
        for row in read_rows(_PACKAGE, "cards.csv")
    }


@cache
def link_gb_per_s(name: str) -> float | None:
    """One-way GB/s per GPU of the link `name` (data/links.csv); None is unknown."""
    rows = {row["link"]: float(row["gb_per_s_per_gpu"]) for row in read_rows(_PACKAGE, "links.csv")}
    return rows.get(name)


@cache
def error_range(is_assumed: bool) -> tuple[float, float]:
    """Measured / estimated speed, from the 5th to the 95th of 100 runs (data/ranges.csv)."""
    basis = "assumed" if is_assumed else "measured"
    for row in read_rows(_PACKAGE, "ranges.csv"):
        if row["basis"] == basis:
            return float(row["low"]), float(row["high"])
    raise LookupError(basis)
