"""Checkpoints: what they hold, how long they take, and the advice of a plan."""

import pytest

from planner import checkpoint
from planner.memory.counts import count
from planner.memory.setup import settle
from planner.memory.trained import Trained, trained
from planner.models.registry import resolve
from planner.query import Training
from planner.spot.interval import daly_interval_hours
from planner.spot.rates import rate_of

GIB = 2**30


def trained_by(method: str, **said: object) -> Trained:
    architecture = resolve("llama-3.1-8b").architecture
    asked = Training.model_validate({"method": method, **said})
    return trained(architecture, count(architecture), settle(architecture, asked).setup)


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
    learned = trained_by(method, **said)
    expected = bytes_per_param * learned.params / GIB
    assert checkpoint.checkpoint_gib(learned) == pytest.approx(expected)


def test_it_grows_by_the_embeddings_that_are_trained_in_their_own_dtype() -> None:
    """D028, D029: modules_to_save are in the checkpoint, in bf16 with bf16 moments."""
    plain, more = (trained_by("lora", train_embeddings=both) for both in (False, True))
    grown = checkpoint.checkpoint_gib(more) - checkpoint.checkpoint_gib(plain)
    assert grown == pytest.approx(2 * 128_256 * 4096 * (2 + 4) / GIB)


def test_writing_takes_a_start_and_a_gigabit_per_second() -> None:
    assert checkpoint.write_seconds(0.0) == checkpoint.FIXED_SAVE_SECONDS
    assert checkpoint.write_seconds(12.5e9 / GIB) == pytest.approx(100 + 5)
    assert checkpoint.load_seconds(12.5e9 / GIB, 25e9 / GIB) == pytest.approx(300 + 5)


def test_two_whole_ones_remain_when_one_is_lost_being_written() -> None:
    """D075: the one being written may be destroyed; keep at least two more."""
    assert checkpoint.KEEP_LAST >= 3


def test_reclaimed_machines_are_saved_more_often_than_owned_ones() -> None:
    save = checkpoint.write_seconds(2.0)
    owned = daly_interval_hours(save, checkpoint.ASSUMED_FAILURES_PER_HOUR)
    reclaimed = daly_interval_hours(save, rate_of("*").interruptions_per_hour)
    assert reclaimed < owned / 3
