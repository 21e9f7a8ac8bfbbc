"""The live values that answers show: from the estimator, the catalog and what providers state."""

from collections.abc import Iterable
from datetime import datetime
from functools import cached_property
from pathlib import Path
from statistics import median

from bot.estimating import estimate_keys
from planner import checkpoint
from planner.catalog.offer import Shape
from planner.catalog.providers import ProviderFact, facts_providers, provider_facts
from planner.catalog.store import open_catalog
from planner.gpus import registry
from planner.memory.result import MemoryEstimate
from planner.query import Market
from planner.spot.rates import Rate, rate_of

MODEL = "llama-3.1-8b"
CONSUMER, OLDER, FLAGSHIP = "RTX-4090", "A100-SXM4-80GB", "H100-SXM5"
SHORT_LEN = 512
EGRESS_EXAMPLE_GB = 100
_GIB = 2**30
#: Bytes of a trained parameter in a resumable checkpoint: bf16 or fp32 weights, two fp32 states.
_LORA_BYTES, _FULL_BYTES = 4 + 8, 2 + 4
_FAST = ("infiniband", "efa", "rdma")


class Facts:
    """Values for the templates of templates/faq, each worked out when one asks for it. None is
    unknown.
    """

    short_len = SHORT_LEN
    keep_last = checkpoint.KEEP_LAST
    egress_example_gb = EGRESS_EXAMPLE_GB
    consumer, older, flagship = CONSUMER, OLDER, FLAGSHIP

    def __init__(self, catalog_file: Path | None, now: datetime) -> None:
        self._catalog_file = catalog_file
        self._now = now

    @cached_property
    def model(self) -> str:
        """Display name of the example model."""
        from bot.architectures import from_name

        return from_name(MODEL).architecture.display_name

    @property
    def seq_len(self) -> int:
        """Tokens that the planner assumes where nothing is said."""
        from planner.memory.setup import DEFAULT_SEQ_LEN

        return DEFAULT_SEQ_LEN

    @cached_property
    def full_gib(self) -> float:
        """GiB of full fine-tuning on one GPU."""
        return self._estimate("full").device_gib

    @cached_property
    def full_two_gib(self) -> float:
        """GiB on each of two GPUs that share a full fine-tune."""
        return self._estimate("full", gpus="2", sharding="fsdp").device_gib

    @cached_property
    def lora_gib(self) -> float:
        """GiB of LoRA."""
        return self._estimate("lora").device_gib

    @cached_property
    def lora_short_gib(self) -> float:
        """GiB of LoRA on short sequences."""
        return self._estimate("lora", seq_len=str(SHORT_LEN)).device_gib

    @cached_property
    def lora_unchecked_gib(self) -> float:
        """GiB of LoRA without gradient checkpointing."""
        return self._estimate("lora", gradient_checkpointing="none").device_gib

    @cached_property
    def qlora_gib(self) -> float:
        """GiB of QLoRA."""
        return self._estimate("qlora").device_gib

    @property
    def lora_share_fraction(self) -> float:
        """Share of the weights that LoRA trains."""
        found = self._estimate("lora")
        return found.trainable_params / found.total_params

    @property
    def lora_checkpoint_gib(self) -> float:
        """GiB of a resumable LoRA checkpoint: fp32 adapters and AdamW's two states."""
        return self._estimate("lora").trainable_params * _LORA_BYTES / _GIB

    @property
    def full_checkpoint_gib(self) -> float:
        """GiB of a resumable full checkpoint: bf16 weights and AdamW's two states in bf16."""
        return self._estimate("full").trainable_params * _FULL_BYTES / _GIB

    @property
    def without_bf16(self) -> tuple[str, ...]:
        """NVIDIA cards that lack bf16."""
        return tuple(
            gpu.name
            for gpu in registry.every()
            if not gpu.supports_bf16 and gpu.vendor.lower() == "nvidia"
        )

    @property
    def consumer_usable_gib(self) -> float:
        """GiB a job can use on the consumer card."""
        return registry.get(CONSUMER).usable_gib

    @property
    def consumer_usd(self) -> float | None:
        """The cheapest hour of one consumer card on-demand."""
        return min(self._prices_of(CONSUMER), default=None)

    @property
    def older_usd(self) -> float | None:
        """The cheapest hour of one older data-centre card on-demand."""
        return min(self._prices_of(OLDER), default=None)

    @property
    def older_dearest_usd(self) -> float | None:
        """The dearest hour of the same card on-demand."""
        return max(self._prices_of(OLDER), default=None)

    @property
    def flagship_usd(self) -> float | None:
        """The cheapest hour of one flagship on-demand."""
        return min(self._prices_of(FLAGSHIP), default=None)

    @cached_property
    def spot_saving_fraction(self) -> float | None:
        """Median share of the on-demand price that spot saves, over offers with both prices."""
        with open_catalog(self._catalog_file) as catalog:
            saved = [
                1 - one.spot_usd_per_hour / one.on_demand_usd_per_hour
                for one in catalog.offers()
                if one.spot_usd_per_hour and one.on_demand_usd_per_hour
            ]
        return median(saved) if saved else None

    @property
    def interruptions_per_hour(self) -> float:
        """How often spot is taken away where no provider says: assumed."""
        return self._rate.interruptions_per_hour

    @property
    def outage_hours(self) -> float:
        """How long an outage lasts where no provider says: assumed."""
        return self._rate.outage_hours

    @cached_property
    def offers(self) -> int:
        """Offers in the catalog."""
        with open_catalog(self._catalog_file) as catalog:
            return catalog.facts(self._now).offers

    @property
    def providers(self) -> int:
        """Providers whose terms are known."""
        return len(facts_providers())

    @property
    def stop_keeps_disk(self) -> int:
        """Providers where a stop keeps the machine's disk."""
        return sum(fact.value == "y" for _, fact in _stated("stop_keeps_disk"))

    @property
    def stopped_disk_billed(self) -> int:
        """Providers that charge for the disk of a stopped machine."""
        return sum(fact.value == "y" for _, fact in _stated("stopped_disk_billed"))

    @property
    def storage_low_usd(self) -> float | None:
        """The lowest price of network storage, per GB and month."""
        return min(_amounts("network_storage_usd_gb_month"), default=None)

    @property
    def storage_high_usd(self) -> float | None:
        """The highest price of network storage, per GB and month."""
        return max(_amounts("network_storage_usd_gb_month"), default=None)

    @property
    def facts_read_on(self) -> str:
        """The day on which the oldest of the storage prices was read."""
        return min(fact.read_on for _, fact in _stated("network_storage_usd_gb_month"))

    @property
    def ssh(self) -> int:
        """Providers that give SSH."""
        return sum(fact.value == "y" for _, fact in _stated("ssh"))

    @property
    def jupyter(self) -> int:
        """Providers with Jupyter, of their own or in a VM."""
        return sum(fact.value in ("y", "via_vm") for _, fact in _stated("jupyter"))

    @property
    def fast_fabric(self) -> tuple[str, ...]:
        """Providers that name a fast fabric between nodes."""
        return tuple(
            name
            for name, fact in _stated("inter_node_fabric")
            if any(word in fact.value.lower() for word in _FAST)
        )

    @property
    def egress_free(self) -> tuple[str, ...]:
        """Providers that do not charge for egress."""
        return tuple(name for name, fact in _stated("egress_usd_gb") if fact.value == "0")

    @property
    def egress_high_usd(self) -> float | None:
        """The dearest price of egress, per GB."""
        return max(_amounts("egress_usd_gb"), default=None)

    @property
    def egress_example_usd(self) -> float | None:
        """What the example costs at the dearest price."""
        dearest = self.egress_high_usd
        return None if dearest is None else dearest * EGRESS_EXAMPLE_GB

    def billed_by(self, step: str) -> tuple[str, ...]:
        """Providers that bill by `step` ("second", "minute", "hour")."""
        return tuple(name for name, fact in _stated("billing_granularity") if fact.value == step)

    def _estimate(self, method: str, **keys: str) -> MemoryEstimate:
        said = {"model": MODEL, "method": method, **keys}
        known = self._estimates
        key = tuple(sorted(said.items()))
        if key not in known:
            known[key] = estimate_keys(said)
        return known[key]

    @cached_property
    def _estimates(self) -> dict[tuple[tuple[str, str], ...], MemoryEstimate]:
        return {}

    @property
    def _rate(self) -> Rate:
        return rate_of("*")

    def _prices_of(self, gpu: str, market: Market = "on_demand") -> list[float]:
        return [
            shape.usd_per_hour / shape.offer.gpu_count
            for shape in self._shapes
            if shape.offer.gpu == gpu and shape.market == market
        ]

    @cached_property
    def _shapes(self) -> tuple[Shape, ...]:
        with open_catalog(self._catalog_file) as catalog:
            return catalog.prices(gpus=(CONSUMER, OLDER, FLAGSHIP))


def _stated(name: str) -> list[tuple[str, ProviderFact]]:
    known = ((provider, provider_facts(provider).get(name)) for provider in facts_providers())
    return [(provider, fact) for provider, fact in known if fact is not None]


def _amounts(name: str) -> Iterable[float]:
    for _, fact in _stated(name):
        try:
            yield float(fact.value)
        except ValueError:
            continue


def sources_of(name: str, most: int = 3) -> tuple[str, ...]:
    """Where the first few providers state the fact `name`."""
    found = (
        source
        for _, fact in _stated(name)
        for source in fact.source.replace(";", " ").split()
        if source.startswith("https://")
    )
    return tuple(dict.fromkeys(found))[:most]
