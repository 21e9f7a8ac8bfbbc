"""Checkpoint advice: what to save, how often, and where it outlives this provider's machines."""

import math

from planner import checkpoint
from planner.catalog.providers import ProviderFact, provider_facts
from planner.notes import Note, note
from planner.plan.result import CheckpointAdvice
from planner.plan.search import Candidate
from planner.plan.work import Work
from planner.spot.interval import daly_interval_hours
from planner.spot.rates import rate_of


def checkpoint_advice(chosen: Candidate, on_spot: bool, work: Work) -> CheckpointAdvice:
    """What to save, how often and where, for the chosen machine and market.

    Several nodes write and read their shares at the same time.
    """
    size = chosen.sized.checkpoint_gib
    save = checkpoint.write_seconds(size / chosen.nodes)
    provider = chosen.offer.provider
    rate = rate_of(provider)
    failures = rate.interruptions_per_hour if on_spot else checkpoint.ASSUMED_FAILURES_PER_HOUR
    interval = min(chosen.training_hours, daly_interval_hours(save, failures))
    steps_in_all = max(1, round(work.sequences / chosen.sized.sequences_per_step))
    step_hours = chosen.training_hours / steps_in_all
    steps = max(1, math.floor(interval / step_hours))
    interval = steps * step_hours
    adapters_only = chosen.sized.setup.base_is_frozen
    return CheckpointAdvice(
        size_gib=size,
        write_seconds=save,
        interval_minutes=interval * 60,
        interval_steps=steps,
        keep_last=checkpoint.KEEP_LAST,
        overhead_fraction=save / 3600 / (interval + save / 3600),
        storage=_storage(provider_facts(provider), on_spot),
        on_notice=_on_notice(provider_facts(provider), save) if on_spot else None,
        why=note("plan.checkpoint_adapters" if adapters_only else "plan.checkpoint_everything"),
    )


def _storage(facts: dict[str, ProviderFact], on_spot: bool) -> Note:
    """Where a checkpoint outlives the machine: the provider's network storage, else a bucket
    elsewhere.
    """
    said = facts.get("network_storage")
    if said is None:
        return note("plan.storage_unknown")
    if not said.value.startswith("y"):
        return note("plan.storage_bucket")
    offered = said.value.partition(": ")[2] or said.value
    fate = facts.get("spot_on_interruption")
    if not on_spot or fate is None or fate.value not in _FATES:
        return note("plan.storage_volume", offered=offered)
    return note(f"plan.storage_volume_{_FATES[fate.value]}", offered=offered)


#: What an interruption does to a machine, and which words that takes.
_FATES = {"terminate": "terminated", "stop": "stopped", "pause": "stopped"}


def _on_notice(facts: dict[str, ProviderFact], save_seconds: float) -> Note:
    """Whether the warning before an interruption is long enough to save once more."""
    said = facts.get("spot_notice_s")
    if said is None or not said.value.isdigit():
        return note("plan.notice_unknown")
    seconds = int(said.value)
    if seconds == 0:
        return note("plan.notice_none")
    code = "plan.notice_enough" if save_seconds < seconds else "plan.notice_too_short"
    return note(code, notice_s=seconds, save_s=max(1, round(save_seconds)))
