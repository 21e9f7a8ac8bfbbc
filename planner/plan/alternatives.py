"""What else would work: the other methods where none was said, the smallest change where it does
not fit.
"""

from typing import NamedTuple

from planner.catalog.offer import Shape
from planner.errors import BadInput
from planner.gpus.gpu import Gpu
from planner.models.architecture import Architecture
from planner.notes import note
from planner.plan import search
from planner.plan.judging import Judged
from planner.plan.result import Alternative, Change
from planner.plan.search import Candidate
from planner.plan.sizers import Sizers
from planner.plan.sizing import Sized, Sizer
from planner.plan.verdict import verdict
from planner.plan.work import Work
from planner.query import PlanQuery, Training

#: Changes shown at most, the least harmful first.
SHOWN = 4
#: Changes to what is trained or how it is laid out.
_HARSH: frozenset[Change] = frozenset({"half_length", "qlora", "sharding", "offload"})


def other_methods(
    query: PlanQuery, architecture: Architecture, shapes: tuple[Shape, ...], job: Work
) -> tuple[Alternative, ...]:
    """One line each for LoRA and full fine-tuning when the asker named no method."""
    return (
        _method_line("method_lora", query, architecture, query.training_as("lora"), shapes, job),
        _method_line("method_full", query, architecture, query.training_as("full"), shapes, job),
    )


def smallest_changes(
    query: PlanQuery,
    asked: Training,
    architecture: Architecture,
    shapes: tuple[Shape, ...],
    job: Work,
    judged: Judged,
) -> tuple[Alternative, ...]:
    """The changes that would make the job fit on the judged card, in order of harm, then a bigger
    machine.

    Where no change that keeps method and layout is enough, the fewest of those together; where no
    single change is, the fewest of all.
    """
    trial = _Trial(asked, architecture, job, judged)
    changes = _changes(asked, judged.sized, architecture)
    alone = [_one_change(change, sized) for change in changes if (sized := trial.size([change]))]
    gentle = [change for change in changes if change.name not in _HARSH]
    found = alone
    if not any(one.change not in _HARSH for one in alone):
        together = _fewest(gentle, trial) or (None if alone else _fewest(changes, trial))
        found = [*(together or ()), *alone]
    free = query.model_copy(
        update={"gpu": None, "vram_gib": None, "gpu_count": None, "nodes": None}
    )
    bigger = _cheapest(free, architecture, asked, shapes, job)
    if bigger is not None:
        found = [*found, _machine_line("bigger_card", bigger)]
    return tuple(found[: SHOWN - 1] + found[-1:] if len(found) > SHOWN else found)


class _Change(NamedTuple):
    """One change, and what it sets."""

    name: Change
    sets: dict[str, object]


class _Trial:
    """Sizes the job on the judged card with changes made to it."""

    def __init__(
        self, asked: Training, architecture: Architecture, job: Work, judged: Judged
    ) -> None:
        self._asked = asked
        self._architecture = architecture
        self._job = job
        self._judged = judged

    def size(self, changes: list[_Change]) -> Sized | None:
        """The changed job where its estimate is within the card; None where not, or not done."""
        update = {key: value for change in changes for key, value in change.sets.items()}
        training = self._asked.model_copy(update=update)
        sizer = _sizer(self._architecture, training, self._job, self._judged.gpu)
        if sizer is None:
            return None
        setup = self._judged.sized.setup
        per_node = max(1, setup.gpus // setup.nodes)
        usable_gib = self._judged.usable_gib
        sized = sizer.size(per_node, setup.nodes, usable_gib)
        return sized if sized.estimate.device_gib <= usable_gib else None


def _fewest(changes: list[_Change], trial: _Trial) -> tuple[Alternative] | None:
    """Changes made together, the most harmful left out as far as the job fits without them."""
    kept = list(changes)
    if len(kept) < 2 or trial.size(kept) is None:
        return None
    for change in reversed(changes):
        fewer = [one for one in kept if one is not change]
        if trial.size(fewer) is not None:
            kept = fewer
    sized = trial.size(kept)
    if sized is None:
        return None
    if len(kept) == 1:
        return (_one_change(kept[0], sized),)
    together = Alternative(
        change="together",
        parts=tuple(note(f"plan.part_{one.name}") for one in kept),
        verdict=sized.verdict,
        device_gib=sized.estimate.device_gib,
        why=note("plan.change_together", device_gib=sized.estimate.device_gib),
    )
    return (together,)


def _one_change(change: _Change, sized: Sized) -> Alternative:
    needed = sized.estimate.device_gib
    why = note(f"plan.change_{change.name}", device_gib=needed)
    return Alternative(change=change.name, verdict=sized.verdict, device_gib=needed, why=why)


def _changes(asked: Training, sized: Sized, architecture: Architecture) -> list[_Change]:
    """Every change that is a change, the least harmful first."""
    setup = sized.setup
    found: list[_Change] = []
    if setup.checkpointing != "full":
        found.append(_Change("checkpointing", {"gradient_checkpointing": "full"}))
    if setup.loss != "fused_linear" and architecture.arch != "encoder":
        found.append(_Change("fused_loss", {"loss": "fused_linear"}))
    if not setup.optimizer.endswith("8bit"):
        found.append(_Change("optimizer_8bit", {"optimizer": "adamw-8bit"}))
    if setup.micro_batch > 1:
        found.append(_Change("micro_batch", {"micro_batch": 1}))
    if setup.seq_len > 512:
        found.append(_Change("half_length", {"seq_len": setup.seq_len // 2}))
    if asked.method != "qlora" and architecture.arch != "encoder":
        base = None if asked.base_dtype in (None, "bf16", "fp16", "fp32") else asked.base_dtype
        found.append(_Change("qlora", {"method": "qlora", "base_dtype": base}))
    if setup.gpus > 1 and setup.sharding not in ("fsdp", "zero3"):
        found.append(_Change("sharding", {"sharding": "fsdp"}))
    if setup.gpus > 1 and not setup.offload:
        found.append(_Change("offload", {"sharding": "fsdp", "offload": True}))
    return found


def _sizer(
    architecture: Architecture, training: Training, job: Work, gpu: Gpu | None
) -> Sizer | None:
    """The sizer for the changed job on the judged card; None where the change is not supported."""
    try:
        sizers = Sizers(architecture, training, job.global_batch)
    except BadInput:
        return None
    return sizers.usual if gpu is None else sizers.on_named(gpu)


def _cheapest(
    query: PlanQuery,
    architecture: Architecture,
    asked: Training,
    shapes: tuple[Shape, ...],
    job: Work,
) -> Candidate | None:
    sizers = Sizers(architecture, asked, job.global_batch)
    found = search.candidates(query, shapes, sizers.of, job)
    fitting = [one for one in found if one.sized.verdict == "fits"] or found
    return min(fitting, key=lambda one: (one.bill.compared_usd, one.hours), default=None)


def _method_line(
    change: Change,
    query: PlanQuery,
    architecture: Architecture,
    asked: Training,
    shapes: tuple[Shape, ...],
    job: Work,
) -> Alternative:
    best = _cheapest(query, architecture, asked, shapes, job)
    if best is not None:
        return _machine_line(change, best)
    sized = Sizer(architecture, asked, job.global_batch).size(1, 1, 0.0)
    return Alternative(
        change=change,
        verdict=verdict(sized.estimate, 0.0),
        device_gib=sized.estimate.device_gib,
        why=note(f"plan.change_{change}_none", device_gib=sized.estimate.device_gib),
    )


def _machine_line(change: Change, best: Candidate) -> Alternative:
    return Alternative(
        change=change,
        verdict=best.sized.verdict,
        device_gib=best.sized.estimate.device_gib,
        why=note(
            f"plan.change_{change}",
            gpu_count=best.gpu_count,
            gpu=best.gpu.name,
            provider=best.offer.provider,
            usd_per_hour=best.usd_per_hour,
            usd_total=best.usd_total,
            device_gib=best.sized.estimate.device_gib,
        ),
    )
