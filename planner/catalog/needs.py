"""Whether what somebody needs beside a GPU is known to be there."""

from planner.catalog.offer import Offer
from planner.catalog.providers import provider_facts
from planner.query import Need

#: The provider fact that answers each need; InfiniBand is a matter of the machine.
_FACTS: dict[Need, str] = {
    "docker": "docker_image",
    "jupyter": "jupyter",
    "ssh": "ssh",
    "kubernetes": "kubernetes",
    "slurm": "slurm",
    "persistent_storage": "network_storage",
}


def meets(offer: Offer, need: Need) -> bool:
    """Whether an offer is known to meet a need; what nobody stated does not count as met."""
    if need == "infiniband":
        return "infiniband" in offer.interconnect.split("+")
    fact = provider_facts(offer.provider).get(_FACTS[need])
    return fact is not None and (fact.value.startswith("y") or fact.value == "via_vm")
