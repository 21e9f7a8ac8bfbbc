"""What a digest tells: each move once, against what was last told."""

import json
from itertools import pairwise

import pytest

from bot.cards.bodies import DigestBody
from bot.cards.digest import digest_card, digest_lines
from bot.cards.sample import sample_plan
from bot.digests.content import content
from bot.language import words
from bot.render import ChatSurface, render
from bot.store.told import keep_told
from planner.changes import Changes, Machine, Move, PriceKey, moved, told_after
from tests.bot.digests.test_deliver import NOW, WISH

H100 = PriceKey("lambda", "1xh100", "H100-SXM5", 1, "on_demand", "us-east-1")


def told_of(prices, threshold):
    """How many moves a reader is told of, one poll after the other."""
    known, count = {H100: prices[0]}, 0
    for price in prices[1:]:
        new = {H100: price}
        count += len(moved(known, new, threshold).moves)
        known = told_after(known, new, threshold)
    return count


def test_d122_a_price_that_stays_moved_is_told_once():
    assert told_of([2.00, 1.60, 1.60, 1.60, 1.60, 1.60], 0.05) == 1


def test_d123_cents_of_wobble_are_not_told():
    assert told_of([2.49, 2.50, 2.49, 2.50], 0.05) == 0


def test_small_moves_that_add_up_are_told():
    steps = [2.00, 1.94, 1.88]
    assert all(abs(b / a - 1) < 0.05 for a, b in pairwise(steps))
    assert told_of(steps, 0.05) == 1


def content_of(store, wish=WISH):
    return content(store, None, 1 / 16667, "S1", wish, NOW)


def test_the_first_digest_has_the_lowest_prices_of_what_was_asked(store):
    body = content_of(store).card.sections[0].body
    assert body.is_first
    assert body.changes.new_lows
    assert {low.gpu.partition("-")[0] for low in body.changes.new_lows} == {"H100"}
    assert not (body.changes.moves or body.changes.appeared or body.changes.vanished)


def test_without_a_new_reading_of_prices_it_says_so(store):
    keep_told(store, "S1", content_of(store).told, NOW)
    body = content_of(store).card.sections[0].body
    assert body.is_old_news
    assert body.changes.are_none
    assert digest_lines(body, words("id"))[0].startswith("Harga belum dibaca ulang")


def test_silence_where_it_was_asked_for(store):
    quiet = WISH._replace(only_on_change=True)
    assert content_of(store, quiet).card is not None
    keep_told(store, "S1", content_of(store, quiet).told, NOW)
    assert content_of(store, quiet).card is None


def test_a_move_is_old_to_new(store):
    rows = json.loads(content_of(store).told)["prices"]
    before = [[*row[:-1], row[-1] * 2] for row in rows]
    keep_told(store, "S1", json.dumps(before), NOW)  # a list, as it was kept before watches
    found = content_of(store).card.sections[0].body.changes
    assert found.moves
    assert all(move.fraction == pytest.approx(-0.5) for move in found.moves)


@pytest.mark.parametrize("surface", ["slack", "discord"])
def test_d091_d107_seventy_long_changes_fit_one_message(surface: ChatSurface):
    moves = tuple(
        Move(
            machine=Machine(
                provider="*" * 300, instance_type=f"<@{number}>" * 60, gpu="H100-SXM5",
                gpu_count=8, market="spot", regions=("_" * 90,),
            ),
            old_usd_per_hour=2.0, new_usd_per_hour=1.0, fraction=-0.5,
        )
        for number in range(70)
    )  # fmt: skip
    changes = Changes(new_lows=(), moves=moves, appeared=(), vanished=())
    body = DigestBody(
        changes=changes, catalog=sample_plan().catalog, is_first=False, is_old_news=False
    )
    shown = digest_lines(body, words("en"))
    assert f"And {70 - len(shown) + 1} more changes." in shown[-1]
    assert render(digest_card(body), surface, words("en"))
