"""Prices that gpuhunt collects: published catalogs, and providers it asks live."""

import logging
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from importlib import import_module
from typing import Any

from planner.catalog.identity import Distrusted, card_of, interconnect_of, refuse_odd_board
from planner.catalog.offer import Offer
from planner.catalog.providers import find_provider
from planner.catalog.sanity import (
    OneCardPrices,
    lower_of,
    price_of,
    refuse_odd_price,
    true_spot,
    without_auction_floors,
)
from planner.catalog.sources.source import Quarantined, Reading, SourceUnavailable

#: Providers whose catalogs gpuhunt publishes: no credentials are needed.
PUBLISHED = (
    "aws", "azure", "gcp", "lambdalabs", "nebius", "oci", "runpod", "verda", "cloudrift",
)  # fmt: skip
#: Providers that are asked live: the class of gpuhunt, in a module of the provider's name, and the
#: variables that hold what its constructor wants, by parameter.
LIVE: dict[str, tuple[str, dict[str, str]]] = {
    "vastai": ("VastAIProvider", {}),
    "vultr": ("VultrProvider", {}),
    "lium": ("LiumProvider", {}),
    "seeweb": ("SeewebProvider", {"token": "SEEWEB_API_TOKEN"}),
    "jarvislabs": ("JarvisLabsProvider", {"api_key": "JL_API_KEY"}),
    "digitalocean": ("DigitalOceanProvider", {"api_key": "DIGITAL_OCEAN_API_KEY"}),
    "hotaisle": (
        "HotAisleProvider",
        {"api_key": "HOTAISLE_API_KEY", "team_handle": "HOTAISLE_TEAM_HANDLE"},
    ),
    "crusoe": (
        "CrusoeProvider",
        {
            "access_key": "CRUSOE_ACCESS_KEY",
            "secret_key": "CRUSOE_SECRET_KEY",
            "project_id": "CRUSOE_PROJECT_ID",
        },
    ),
}
_MIB = 1024.0
#: What gpuhunt lets through: no network, or an answer of a shape it does not expect.
_FAILURES = (OSError, ValueError, LookupError, TypeError, AttributeError)


class GpuHunt:
    """One provider. GPUHUNT_CATALOG_DIR in `environment` names a folder of catalogs in place of the
    network, and live providers find their keys.
    """

    def __init__(self, provider: str, environment: Mapping[str, str]) -> None:
        if provider not in PUBLISHED and provider not in LIVE:
            raise SourceUnavailable(
                "catalog.source_not_in_gpuhunt", provider=provider, known=(*PUBLISHED, *LIVE)
            )
        self._provider = provider
        self._environment = environment

    @property
    def name(self) -> str:
        """Such as "gpuhunt:vastai"."""
        return f"gpuhunt:{self._provider}"

    def read(self, now: datetime) -> Reading:
        """Every machine with a GPU; on-demand and spot rows of one machine are one offer."""
        items = [item for item in self._items(now) if item.gpu_count and item.gpu_name]
        found: dict[tuple[str, str, int], Offer] = {}
        aside: list[Quarantined] = []
        singles = OneCardPrices(_priced(item) for item in items)
        for line, item in enumerate(items, start=1):
            key = (item.instance_name, item.location, item.gpu_count)
            try:
                singles.refuse(*_priced(item))
                found[key] = self._joined(found.get(key), item, now)
            except Distrusted as refusal:
                aside.append(self._aside(line, item, refusal))
        kept = without_auction_floors(_without_false_spot(found.values()))
        return Reading(tuple(kept), tuple(aside), len(items))

    def _items(self, now: datetime) -> list[Any]:
        import gpuhunt

        # It logs every failure with its traceback; the reason is said in the report instead.
        logging.getLogger("gpuhunt").setLevel(logging.CRITICAL)
        try:
            if self._provider in LIVE:
                catalog = gpuhunt.Catalog(balance_resources=False, auto_reload=False)
                catalog.add_provider(self._live())
            else:
                catalog = _published("GPUHUNT_CATALOG_DIR" in self._environment, now)
            items = list(catalog.query(provider=self._provider))
        except (*_FAILURES, gpuhunt.GPUHuntError) as error:
            raise SourceUnavailable(
                "catalog.source_unreachable", provider=self._provider
            ) from error
        if not items:
            # What gpuhunt answers for a catalog that it could not fetch.
            raise SourceUnavailable("catalog.source_unreachable", provider=self._provider)
        return items

    def _live(self) -> Any:
        kind, wanted = LIVE[self._provider]
        missing = next((name for name in wanted.values() if not self._environment.get(name)), None)
        if missing is not None:
            raise SourceUnavailable(
                "catalog.source_needs_key", provider=self._provider, variable=missing
            )
        module = import_module(f"gpuhunt.providers.{self._provider}")
        keys = {parameter: self._environment[name] for parameter, name in wanted.items()}
        return getattr(module, kind)(**keys)

    def _joined(self, known: Offer | None, item: Any, now: datetime) -> Offer:
        provider = find_provider(self._provider) or self._provider
        figures = (item.gpu_memory * _MIB,) if item.gpu_memory else ()
        gpu = card_of(
            item.gpu_name,
            provider,
            (item.instance_name,),
            figures,
            item.gpu_count,
            of_one_card=True,
        )
        refuse_odd_board(gpu, item.gpu_count)
        price = price_of(str(item.price))
        on_demand, spot = (None, price) if item.spot else (price, None)
        refuse_odd_price(gpu, item.gpu_count, on_demand, spot)
        if known is not None:
            return known._replace(
                on_demand_usd_per_hour=lower_of(known.on_demand_usd_per_hour, on_demand),
                spot_usd_per_hour=lower_of(known.spot_usd_per_hour, spot),
                sold_out=known.sold_out and price is None,
            )
        return Offer(
            provider=provider,
            instance_type=item.instance_name,
            gpu=gpu.name,
            gpu_count=item.gpu_count,
            interconnect=interconnect_of(gpu, item.gpu_count, item.instance_name),
            vcpus=float(item.cpu) if item.cpu else None,
            host_ram_gib=item.memory or None,
            region=item.location or None,
            on_demand_usd_per_hour=on_demand,
            spot_usd_per_hour=spot,
            as_of=now.date() if self._provider in LIVE else None,
            gathered_on=now.date(),
            source=self.name,
            is_sample=False,
            sold_out=price is None,
        )

    def _aside(self, line: int, item: Any, refusal: Distrusted) -> Quarantined:
        return Quarantined(
            source=self.name,
            line=line,
            provider=find_provider(self._provider) or self._provider,
            instance_type=item.instance_name,
            reason=refusal.note,
            text=f"{item.gpu_count}x {item.gpu_name} {item.gpu_memory} {item.price}",
        )


@lru_cache(maxsize=1)
def _published(in_folder: bool, now: datetime) -> Any:
    """The catalogs of all published providers, fetched once for all that are read at `now`; those
    in a folder are read there.
    """
    import gpuhunt

    catalog = gpuhunt.Catalog(balance_resources=False, auto_reload=False)
    if not in_folder:
        catalog.load()
    return catalog


def _priced(item: Any) -> tuple[str, str, int, float | None]:
    """Card, market, number of cards and price of one row."""
    card = f"{item.gpu_name} {item.gpu_memory}"
    return card, "spot" if item.spot else "on_demand", item.gpu_count, price_of(str(item.price))


def _without_false_spot(offers: Iterable[Offer]) -> Iterable[Offer]:
    for one in offers:
        spot = true_spot(one.on_demand_usd_per_hour, one.spot_usd_per_hour)
        yield (one if spot == one.spot_usd_per_hour else one._replace(spot_usd_per_hour=spot))
