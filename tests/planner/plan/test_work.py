"""What is trained: tokens are per epoch, samples count their length, and nothing is silent."""

import pytest

from planner.plan.work import work
from planner.query import PlanQuery, Tuning


def test_tokens_are_per_epoch() -> None:
    assert work(PlanQuery(tokens=50_000_000, epochs=3), 2048).tokens == 150_000_000


def test_packed_samples_fill_the_sequence() -> None:
    found = work(PlanQuery(samples=10_000, epochs=3), 4096)
    assert found.tokens == 10_000 * 4096 * 3
    assert found.sequences == 30_000


@pytest.mark.parametrize(("seq_len", "counted"), [(2048, 512), (512, 512), (256, 256)])
def test_unpacked_samples_count_512_at_most(seq_len: int, counted: int) -> None:
    query = PlanQuery(samples=1000, training=Tuning(packing=False))
    found = work(query, seq_len)
    assert found.tokens == 1000 * counted
    assert found.sequences == 1000
    assert ("plan.assumed_sample_tokens", counted) in [
        (one.code, one.values.get("tokens")) for one in found.assumptions
    ]


def test_ten_million_tokens_once_where_nobody_says() -> None:
    found = work(PlanQuery(), 2048)
    assert found.tokens == 10_000_000
    assert {one.code for one in found.assumptions} == {
        "plan.assumed_tokens", "plan.assumed_one_epoch", "plan.assumed_global_batch",
    }  # fmt: skip
    assert found.global_batch == 16


def test_what_was_said_is_not_called_assumed() -> None:
    query = PlanQuery(tokens=1_000_000, epochs=1, training=Tuning(global_batch=32))
    assert work(query, 2048).assumptions == ()


def test_image_models_count_pictures_where_nobody_says() -> None:
    found = work(PlanQuery(), 4608, of_pictures=True)
    assert found.sequences == 5_000
    assert found.tokens == 5_000 * 4608
    assert "plan.assumed_pictures" in {one.code for one in found.assumptions}


def test_pictures_that_were_counted_have_the_length_of_their_resolution() -> None:
    query = PlanQuery(samples=800, epochs=2, training=Tuning(packing=False))
    assert work(query, 4608, of_pictures=True).tokens == 800 * 2 * 4608
