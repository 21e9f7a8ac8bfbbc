"""gpuhunt's catalogs, through its own offline folder."""

from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import gpuhunt
import pytest

from planner.catalog.feeds import default_sources, source_for
from planner.catalog.sources.gpuhunt import LIVE, GpuHunt
from planner.catalog.sources.source import Reading, SourceUnavailable

#: gpuhunt leaves the files of its folder to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")

NOW = datetime(2026, 12, 1, tzinfo=UTC)
HEAD = (
    "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,"
    "gpu_vendor,flags,cpu_arch,provider_data"
)


def _read(folder: Path, monkeypatch: pytest.MonkeyPatch, *lines: str) -> Reading:
    (folder / "runpod.csv").write_text("\n".join((HEAD, *lines)) + "\n", encoding="utf-8")
    monkeypatch.setenv("GPUHUNT_CATALOG_DIR", str(folder))
    environment = {"GPUHUNT_CATALOG_DIR": str(folder)}
    return GpuHunt("runpod", environment).read(NOW)


def test_on_demand_and_spot_of_a_machine_are_one_offer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _read(
        tmp_path,
        monkeypatch,
        "A100-2x,US-KS-2,3.28,16,234,2,A100,80,False,,nvidia,,x86,{}",
        "A100-2x,US-KS-2,1.64,16,234,2,A100,80,True,,nvidia,,x86,{}",
        "cpu,US-KS-2,0.10,4,16,0,,,False,,,,x86,{}",
    )
    (offer,) = found.offers
    assert (offer.provider, offer.gpu, offer.gpu_count) == ("RunPod", "A100-SXM4-80GB", 2)
    assert (offer.on_demand_usd_per_hour, offer.spot_usd_per_hour) == (3.28, 1.64)
    assert (offer.region, offer.as_of) == ("US-KS-2", None)


def test_the_same_rules_hold_as_for_any_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _read(
        tmp_path,
        monkeypatch,
        "x,r,700,16,234,1,A100,80,False,,nvidia,,x86,{}",
        "y,r,2.0,16,234,1,H100,125,False,,nvidia,,x86,{}",
        "z,r,0,16,234,1,H100,80,False,,nvidia,,x86,{}",
        "w,r,1.0,16,234,1,H100,80,True,,nvidia,,x86,{}",
        "w,r,1.0,16,234,1,H100,80,False,,nvidia,,x86,{}",
    )
    codes = [one.reason.code.rpartition("_")[2] for one in found.quarantined]
    assert codes == ["price", "memory"]
    gone, no_spot = found.offers
    assert gone.sold_out
    assert no_spot.spot_usd_per_hour is None


def test_what_cannot_be_fetched_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUHUNT_CATALOG_DIR", str(tmp_path))
    with pytest.raises(SourceUnavailable) as refusal:
        GpuHunt("aws", {"GPUHUNT_CATALOG_DIR": str(tmp_path)}).read(NOW)
    assert refusal.value.note.code == "catalog.source_unreachable"


def test_a_price_makes_up_for_a_row_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _read(
        tmp_path,
        monkeypatch,
        "x,r,0,16,234,1,A100,80,False,,nvidia,,x86,{}",
        "x,r,0.82,16,234,1,A100,80,True,,nvidia,,x86,{}",
    )
    (offer,) = found.offers
    assert (offer.on_demand_usd_per_hour, offer.spot_usd_per_hour) == (None, 0.82)
    assert not offer.sold_out


def test_a_catalog_without_a_row_was_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SourceUnavailable) as refusal:
        _read(tmp_path, monkeypatch)
    assert refusal.value.note.code == "catalog.source_unreachable"


def test_published_catalogs_are_fetched_once_a_refresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that lives for weeks must not answer with the prices of its first day."""
    fetched: list[None] = []

    class Published(gpuhunt.Catalog):
        def load(self, version: str | None = None) -> None:
            fetched.append(None)

        def query(self, **wanted: Any) -> list[gpuhunt.CatalogItem]:
            return []

    monkeypatch.setattr(gpuhunt, "Catalog", Published)
    for now in (NOW, NOW, NOW + timedelta(days=1)):
        for provider in ("aws", "gcp"):
            with pytest.raises(SourceUnavailable):
                GpuHunt(provider, {}).read(now)
    assert len(fetched) == 2


@pytest.mark.parametrize(
    ("provider", "keys", "variable"),
    [
        ("seeweb", {}, "SEEWEB_API_TOKEN"),
        ("jarvislabs", {}, "JL_API_KEY"),
        ("hotaisle", {"HOTAISLE_API_KEY": "k"}, "HOTAISLE_TEAM_HANDLE"),
        ("crusoe", {"CRUSOE_ACCESS_KEY": "", "CRUSOE_SECRET_KEY": "k"}, "CRUSOE_ACCESS_KEY"),
    ],
)
def test_a_provider_that_wants_a_key_says_which(
    provider: str, keys: dict[str, str], variable: str
) -> None:
    with pytest.raises(SourceUnavailable) as refusal:
        GpuHunt(provider, keys).read(NOW)
    assert refusal.value.note.values["variable"] == variable


@pytest.mark.parametrize("provider", LIVE)
def test_live_providers_are_asked_with_their_keys(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a provider answers comes through; an answer of another shape is unavailable."""
    kind, wanted = LIVE[provider]
    listed = [
        gpuhunt.CatalogItem(
            provider=provider, instance_name="one", location="r", price=2.0, cpu=16, memory=234.0,
            gpu_count=1, gpu_name="H100", gpu_memory=80.0, spot=False, disk_size=None,
            gpu_vendor=gpuhunt.AcceleratorVendor.NVIDIA,
        )
    ]  # fmt: skip
    asked = getattr(import_module(f"gpuhunt.providers.{provider}"), kind)
    environment = {name: "secret" for name in wanted.values()}
    monkeypatch.setattr(asked, "get", lambda self, **options: listed)
    (offer,) = GpuHunt(provider, environment).read(NOW).offers
    assert (offer.on_demand_usd_per_hour, offer.as_of) == (2.0, NOW.date())
    monkeypatch.setattr(asked, "get", lambda self, **options: listed[0].nothing)
    with pytest.raises(SourceUnavailable):
        GpuHunt(provider, environment).read(NOW)


def test_a_provider_nobody_lists_is_refused_by_name() -> None:
    with pytest.raises(SourceUnavailable) as refusal:
        GpuHunt("nobody", {})
    assert refusal.value.note.values["provider"] == "nobody"


def test_the_bundled_sample_is_always_among_the_sources() -> None:
    names = [source.name for source in default_sources({})]
    assert names[0] == "bundled"
    assert "gpuhunt:lambdalabs" in names
    assert len(names) == len(set(names))


def test_a_file_is_the_source_that_its_columns_are(tmp_path: Path) -> None:
    listed, ours = tmp_path / "verda_vms.csv", tmp_path / "ours.csv"
    listed.write_text("InstanceType,AcceleratorName\n", encoding="utf-8")
    ours.write_text("provider,gpu\n", encoding="utf-8")
    assert source_for(str(listed)).name == "skypilot:verda"
    assert source_for(str(ours)).name == "team:ours.csv"
    assert source_for("https://example.org/x.csv", "RunPod").name == "skypilot:runpod"
    with pytest.raises(SourceUnavailable):
        source_for(str(tmp_path / "none.csv"))
