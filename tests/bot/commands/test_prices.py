"""/prices says what it took the question to mean, on every surface."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from bot.commands.prices import answer_prices
from bot.commands.registry import Asking
from bot.grammar import read
from bot.language import words
from bot.pricing import prices_for
from bot.render import render
from planner.catalog.build import write_catalog
from planner.catalog.offer import Offer

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize("surface", ["console", "slack", "discord", "web"])
def test_words_left_out_and_a_default_card_are_told_beside_the_prices(surface: str) -> None:
    card = answer_prices(read("/prices a100 zzgrblx"), Asking(None, NOW, "en"))
    shown = str(render(card, surface, words("en")))
    assert "zzgrblx" in shown
    assert "A100-PCIe-40GB" in shown


def test_a_question_read_whole_needs_no_remark() -> None:
    card = answer_prices(read("/prices l40s spot"), Asking(None, NOW, "en"))
    assert [section.name for section in card.sections] == ["prices"]


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    """Three machines as they were sold 45 days before NOW."""
    gathered = date(2026, 10, 17)

    def machine(gpu: str, gpu_count: int, usd: float) -> Offer:
        return Offer(
            provider="Lambda",
            instance_type=f"{gpu_count}x {gpu}",
            gpu=gpu,
            gpu_count=gpu_count,
            interconnect="unknown",
            vcpus=None,
            host_ram_gib=None,
            region=None,
            on_demand_usd_per_hour=usd,
            spot_usd_per_hour=None,
            as_of=gathered,
            gathered_on=gathered,
            source="made up",
            is_sample=False,
        )

    path = tmp_path / "catalog.sqlite"
    sold = [("H100-SXM5", 1, 3.0), ("H100-SXM5", 8, 16.0), ("RTX-4090", 1, 0.5)]
    write_catalog([machine(*one) for one in sold], path)
    return path


@pytest.mark.parametrize("surface", ["console", "slack", "discord", "web"])
def test_prices_of_a_month_and_a_half_ago_are_shown_with_a_warning(
    surface: str, catalog: Path
) -> None:
    """D063."""
    card = answer_prices(read("/prices h100"), Asking(catalog, NOW, "en"))
    shown = str(render(card, surface, words("en")))
    assert "at least 45 days old" in shown


def test_a_limit_is_one_on_the_machine_and_hides_no_cheaper_one(catalog: Path) -> None:
    """Eight cards cost less a card, but nobody under the limit can rent them."""
    unlimited = prices_for(read("/prices h100"), catalog, NOW)
    assert [row.usd_per_hour for row in unlimited.rows] == [16.0]
    limited = prices_for(read("/prices h100 under $5/h"), catalog, NOW)
    assert [row.usd_per_hour for row in limited.rows] == [3.0]


def test_a_size_of_memory_names_the_cards_of_that_size(catalog: Path) -> None:
    found = prices_for(read("/prices 24gb"), catalog, NOW)
    assert [row.gpu for row in found.rows] == ["RTX-4090"]
