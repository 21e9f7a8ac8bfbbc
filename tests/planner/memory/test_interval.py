"""What an estimate rests on, and the range that follows."""

from collections import Counter
from collections.abc import Callable

import pytest

from bench.evidence import LEAST_RUNS, kind
from planner.accuracy.runs import measured_runs
from planner.data_files import read_rows
from planner.memory.result import MemoryEstimate

EstimateOf = Callable[..., MemoryEstimate]


@pytest.mark.parametrize(
    ("method", "said", "evidence"),
    [
        ("lora", {"stack": "hf-trl"}, "measured"),
        ("lora", {"stack": "hf-trl", "base_dtype": "gptq-int4"}, "measured"),
        ("ia3", {"stack": "hf-peft"}, "measured"),
        ("adapter_v2", {"stack": "litgpt"}, "measured"),
        ("full", {"stack": "hf-trl", "gpus": 4}, "measured"),
        # run on fake tensors only
        ("qlora", {"stack": "axolotl"}, "oracle"),
        ("full", {"stack": "llama-factory"}, "oracle"),
        # nobody ran these
        ("qlora", {"stack": "hf-trl", "base_dtype": "int8"}, "formula"),
        ("ia3", {"stack": "hf-trl"}, "formula"),
        ("lora", {"stack": "axolotl", "gpus": 4}, "formula"),
        ("qlora", {"stack": "torchtune", "gpus": 4}, "formula"),
    ],
)
def test_evidence_is_of_this_stack_method_and_base(
    estimate_of: EstimateOf, method: str, said: dict[str, object], evidence: str
) -> None:
    assert estimate_of("llama-3.1-8b", method, **said).evidence == evidence


def test_the_range_is_wider_where_nothing_was_measured(estimate_of: EstimateOf) -> None:
    def width(method: str) -> float:
        found = estimate_of("llama-3.1-8b", method, stack="hf-trl", seq_len=512)
        return found.high_gib / found.device_gib

    assert width("dora") > width("lora")


def test_measured_is_what_two_runs_or_more_stand_behind() -> None:
    """data/evidence.csv says what measured_runs.csv holds (`python -m bench.evidence`)."""
    stated = [run for run in measured_runs() if run.quality == "A" and run.middle_gib is not None]
    runs = Counter(kind(run) for run in stated)
    rows = [row for row in read_rows("planner.memory", "evidence.csv") if int(row["runs"])]
    listed = {
        (row["stack"], row["layout"], row["method"], row["base"]): int(row["runs"]) for row in rows
    }
    assert listed == {one: count for one, count in runs.items() if count >= LEAST_RUNS}
