"""What else would work: the other methods where none was said, the smallest change where it does
not fit.
"""

from collections.abc import Iterator

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
    """
    found: list[Alternative] = []
    setup = judged.sized.setup
    per_node = max(1, setup.gpus // setup.nodes)
    for change, training, nodes in _changes(asked, judged.sized, architecture):
        sizer = _sizer(architecture, training, job, judged.gpu)
        sized = None if sizer is None else sizer.size(per_node, nodes, judged.usable_gib)
        if sized is not None and sized.verdict != "does_not_fit":
            found.append(
                Alternative(
                    change=change,
                    verdict=sized.verdict,
                    device_gib=sized.estimate.device_gib,
                    why=note(f"plan.change_{change}", device_gib=sized.estimate.device_gib),
                )
            )
    free = query.model_copy(
        update={"gpu": None, "vram_gib": None, "gpu_count": None, "nodes": None}
    )
    bigger = _cheapest(free, architecture, asked, shapes, job)
    if bigger is not None:
        found.append(_machine_line("bigger_card", bigger))
    return tuple(found[: SHOWN - 1] + found[-1:] if len(found) > SHOWN else found)


def _changes(
    asked: Training, sized: Sized, architecture: Architecture
) -> Iterator[tuple[Change, Training, int]]:
    """Name, changed training and node count of every change that is a change."""
    setup = sized.setup
    nodes = setup.nodes
    if setup.checkpointing != "full":
        yield "checkpointing", asked.model_copy(update={"gradient_checkpointing": "full"}), nodes
    if setup.loss != "fused_linear" and architecture.arch != "encoder":
        yield "fused_loss", asked.model_copy(update={"loss": "fused_linear"}), nodes
    if not setup.optimizer.endswith("8bit"):
        yield "optimizer_8bit", asked.model_copy(update={"optimizer": "adamw-8bit"}), nodes
    if setup.micro_batch > 1:
        yield "micro_batch", asked.model_copy(update={"micro_batch": 1}), nodes
    if setup.seq_len > 512:
        yield "half_length", asked.model_copy(update={"seq_len": setup.seq_len // 2}), nodes
    if asked.method != "qlora" and architecture.arch != "encoder":
        base = None if asked.base_dtype in (None, "bf16", "fp16", "fp32") else asked.base_dtype
        yield "qlora", asked.model_copy(update={"method": "qlora", "base_dtype": base}), nodes
    if setup.gpus > 1 and setup.sharding not in ("fsdp", "zero3"):
        yield "sharding", asked.model_copy(update={"sharding": "fsdp"}), nodes
    if setup.gpus > 1 and not setup.offload:
        moved = {"sharding": "fsdp", "offload": True}
        yield "offload", asked.model_copy(update=moved), nodes


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
