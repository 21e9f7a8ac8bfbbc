"""A channel's digest tells what its watched plans cost, against its last digest."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.cards.card import Card
from bot.cards.digest import digest_card
from bot.digests.content import Content, content
from bot.digests.slots import Rule
from bot.language import words
from bot.render import ChatSurface, render
from bot.store.engine import Store
from bot.store.subscriptions import Subscription
from bot.store.told import keep_told
from bot.store.watches import add, pause
from tests.bot.watches.conftest import NOW, Market
from tests.bot.watches.test_checking import WATCH

WISH = Subscription(
    "slack", "T1", "C1", "U1", "en", "l40s", Rule(frozenset({0}), (time(9),)), ZoneInfo("UTC"),
    threshold_percent=5.0, only_on_change=True,
)  # fmt: skip
A_DAY = timedelta(days=1)


class Digests:
    """Digests day after day about a card that is not for rent: nothing moves but the plans."""

    def __init__(self, store: Store, market: Market) -> None:
        self.store, self.market, self.now = store, market, NOW

    def at(self, usd: float | None, gpu: str = "A100-SXM4-80GB") -> Card | None:
        """The digest of the next day; None is silence."""
        self.now += A_DAY
        self.market.sell(usd, self.now, gpu)
        found = digest(self.store, self.market, self.now)
        if found.card is not None:
            keep_told(self.store, "S1", found.told, self.now)
        return found.card


def digest(store: Store, market: Market, now: datetime) -> Content:
    prices = market.prices
    return content(store, prices.catalog_file, prices.usd_per_idr, "S1", WISH, now)


@pytest.fixture
def digests(store, market):
    add(store, WATCH)
    return Digests(store, market)


def lines(card: Card | None, language="en") -> str:
    assert card is not None
    return str(render(card, "slack", words(language))["blocks"])


def test_the_first_digest_tells_what_the_plan_costs(digests):
    said = lines(digests.at(2.0))
    assert "llama-8b qlora under $2/h: $2.00 per hour; on 1x A100-SXM4-80GB Lambda" in said
    assert "at the last digest" not in said


def test_moves_under_the_threshold_are_silent_until_they_add_up(digests):
    assert digests.at(2.00) is not None
    assert digests.at(1.95) is None
    said = lines(digests.at(1.88))
    assert "$1.88 per hour, $2.00 at the last digest" in said
    assert digests.at(1.88) is None


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "now on 1x H100-SXM5 Lambda 1x H100-SXM5, before on 1x A100-SXM4-80GB"),
        ("id", "sekarang di 1x H100-SXM5 Lambda 1x H100-SXM5, sebelumnya di 1x A100-SXM4-80GB"),
    ],
)
def test_another_machine_is_named_beside_the_old_one(digests, language, told):
    digests.at(2.00)
    assert told in lines(digests.at(1.5, "H100-SXM5"), language)


@pytest.mark.parametrize(
    ("language", "told"), [("en", "nothing that fits is for rent"), ("id", "belum ada yang muat")]
)
def test_a_plan_without_a_price_is_unknown_and_never_free(digests, language, told):
    digests.at(2.00)
    said = lines(digests.at(None), language)
    assert told in said and "$0" not in said
    assert digests.at(None) is None
    assert digests.at(2.00) is not None


def test_paused_watches_and_those_of_other_channels_are_not_in_it(store, market):
    pause(store, add(store, WATCH), "asked")
    add(store, WATCH._replace(channel="C2"))
    card = Digests(store, market).at(2.00)
    assert card is not None
    assert [section.name for section in card.sections] == ["digest"]


def test_a_watch_made_since_is_told_with_the_next_news_alone(digests, store):
    digests.at(2.00)
    add(store, WATCH._replace(text="llama-8b lora under $1/h", limit_usd=1.0))
    assert digests.at(2.00) is None
    said = lines(digests.at(1.5))
    assert "llama-8b lora under $1/h: $1.50 per hour; on" in said


@pytest.mark.parametrize("surface", ["slack", "discord"])
def test_ten_long_watches_fit_one_message(store, market, surface: ChatSurface):
    for number in range(10):
        text = f"llama-8b qlora under $2/h {number} " + "*<@zork>_ " * 40
        add(store, WATCH._replace(text=text))
    card = Digests(store, market).at(2.00)
    assert card is not None
    assert str(render(card, surface, words("en"))).count("llama-8b") == 10
    crowded = digest_card(card.sections[0].body, (), card.sections[-1].body.plans * 9)
    assert "did not fit" in str(render(crowded, "discord", words("en")))
