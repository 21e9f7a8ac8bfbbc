"""Which source a place is, and which are read where nobody names any."""

from collections.abc import Mapping

from planner.catalog.sources.bundled import Bundled
from planner.catalog.sources.gpuhunt import LIVE, PUBLISHED, GpuHunt
from planner.catalog.sources.skypilot import SkyPilotCsv
from planner.catalog.sources.source import Source
from planner.catalog.sources.team import TeamFile
from planner.catalog.sources.text import is_address, read_text


def default_sources(environment: Mapping[str, str]) -> tuple[Source, ...]:
    """The bundled sample, every provider whose prices gpuhunt publishes, and those it asks live."""
    providers = (*PUBLISHED, *LIVE)
    return (Bundled(), *(GpuHunt(provider, environment) for provider in providers))


def source_for(place: str, provider: str | None = None) -> Source:
    """The source that stands at a path or address: a SkyPilot list by its columns, else a team's
    own file. Raises SourceUnavailable where nothing can be read.
    """
    if is_address(place) or provider is not None:
        return SkyPilotCsv(place, provider)
    head = read_text(place)[:2000]
    if "InstanceType" in head and "AcceleratorName" in head:
        return SkyPilotCsv(place)
    return TeamFile(place)
