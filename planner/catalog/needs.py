"""Whether what somebody needs beside a GPU is known to be there."""

from planner.catalog.providers import provider_facts
from planner.query import Need

#: Needs that the machine meets, by the fabric that joins it to others; the rest are the provider's.
FABRICS: dict[Need, str] = {"infiniband": "infiniband"}

#: The provider fact that answers each need.
_FACTS: dict[Need, str] = {
    "docker": "docker_image",
    "jupyter": "jupyter",
    "ssh": "ssh",
    "kubernetes": "kubernetes",
    "slurm": "slurm",
    "persistent_storage": "network_storage",
}


def provider_meets(provider: str, need: Need) -> bool:
    """Whether a provider is known to meet a need; what nobody stated does not count as met."""
    fact = provider_facts(provider).get(_FACTS[need])
    return fact is not None and (fact.value.startswith("y") or fact.value == "via_vm")
