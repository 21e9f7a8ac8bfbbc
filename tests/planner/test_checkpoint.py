"""Checkpoints: what they hold, how long they take, and the advice of a plan."""

import pytest

from planner import checkpoint, spot
from planner.memory.setup import Setup, settle
from planner.models.registry import resolve
from planner.query import Training

GIB = 2**30


def setup_of(method: str, **said: object) -> Setup:
    asked = Training.model_validate({"method": method, **said})
    return settle(resolve("llama-3.1-8b").architecture, asked).setup


@pytest.mark.parametrize(
    ("method", "said", "bytes_per_param"),
    [
        ("full", {"precision": "bf16", "optimizer": "adamw"}, 2 + 4),
        ("full", {"precision": "amp", "optimizer": "adamw"}, 4 + 8),
        ("full", {"precision": "bf16", "master_weights": True}, 2 + 4 + 8),
        ("full", {"precision": "bf16", "optimizer": "sgd"}, 2),
        ("lora", {"precision": "amp"}, 4 + 8),
        ("lora", {"precision": "bf16"}, 2 + 4),
        ("qlora", {"optimizer": "paged-adamw-8bit"}, 4 + 2 + 2 * 4 / 256),
    ],
)
def test_it_holds_what_is_trained_and_its_states(
    method: str, said: dict[str, object], bytes_per_param: float
) -> None:
    size = checkpoint.checkpoint_gib(10**9, setup_of(method, **said))
    assert size == pytest.approx(bytes_per_param * 1e9 / GIB)


def test_writing_takes_a_start_and_a_gigabit_per_second() -> None:
    assert checkpoint.write_seconds(0.0) == checkpoint.FIXED_SAVE_SECONDS
    assert checkpoint.write_seconds(12.5e9 / GIB) == pytest.approx(100 + 5)
    assert checkpoint.load_seconds(12.5e9 / GIB, 25e9 / GIB) == pytest.approx(300 + 5)


def test_two_whole_ones_remain_when_one_is_lost_being_written() -> None:
    """D075: the one being written may be destroyed; keep at least two more."""
    assert checkpoint.KEEP_LAST >= 3


def test_reclaimed_machines_are_saved_more_often_than_owned_ones() -> None:
    save = checkpoint.write_seconds(2.0)
    owned = spot.daly_interval_hours(save, checkpoint.ASSUMED_FAILURES_PER_HOUR)
    reclaimed = spot.daly_interval_hours(save, spot.rate_of("*").interruptions_per_hour)
    assert reclaimed < owned / 3
