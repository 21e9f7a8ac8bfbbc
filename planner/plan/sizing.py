"""Which layout and micro-batch to run on a given number of GPUs of a given size."""

from typing import NamedTuple

from planner.checkpoint import checkpoint_gib
from planner.gpus.gpu import Gpu
from planner.memory import refusals
from planner.memory.counts import Counts, count
from planner.memory.estimate import estimate_setup, on_card
from planner.memory.result import MemoryEstimate
from planner.memory.setup import Setup, offloading_layout, settle
from planner.memory.stacks import as_built
from planner.memory.trained import trained
from planner.memory.weights import published_bytes
from planner.models.architecture import Architecture
from planner.notes import Note
from planner.plan.result import Verdict
from planner.plan.verdict import verdict
from planner.plan.work import sample_tokens
from planner.query import Sharding, Training
from planner.speed.pace import Speed, speed
from planner.speed.step import StepWork, step_work
from planner.units import GB

#: A micro-batch beyond this many tokens no longer makes a card faster, it only takes memory:
#: assumed.
ENOUGH_TOKENS = 8192


class Sized(NamedTuple):
    """One way to lay the job out on one machine, and how it fits there.

    `step` is what a micro-batch asks of each GPU. `download_gb` is the model as published,
    `result_gb` what is trained, `checkpoint_gib` what has to be saved to go on after an
    interruption.
    """

    setup: Setup
    estimate: MemoryEstimate
    verdict: Verdict
    accumulation: int
    step: StepWork
    checkpoint_gib: float
    download_gb: float
    result_gb: float

    @property
    def sequences_per_step(self) -> int:
        """Sequences between two optimizer steps, over all GPUs."""
        return self.setup.micro_batch * self.setup.workers * self.accumulation


class Paced(NamedTuple):
    """A layout and how fast it runs on one kind of machine."""

    speed: Speed
    sized: Sized


class Sizer:
    """Sizes one job for many machines: every layout is estimated once, then compared with every
    card.
    """

    def __init__(self, architecture: Architecture, asked: Training, global_batch: int) -> None:
        refusals.refuse_unsupported(architecture, asked)
        self._asked = asked
        self._global_batch = global_batch
        self._layouts: dict[tuple[int, int], tuple[Sized, ...]] = {}
        self._sizes: dict[tuple[int, int, float], tuple[Sized, ...]] = {}
        self._paced: dict[tuple[int, int, str, str], Paced | None] = {}
        self._setup_of_one = settle(architecture, self._settled_question())
        self.architecture = as_built(architecture, self._setup_of_one.setup.profile)
        self.counts: Counts = count(self.architecture)
        self.assumptions: tuple[Note, ...] = self._setup_of_one.assumptions

    @property
    def base_dtype(self) -> str:
        """The type of the base weights."""
        return self._setup_of_one.setup.base_dtype

    @property
    def seq_len(self) -> int:
        """Tokens in one sequence."""
        return self._setup_of_one.setup.seq_len

    def size(self, gpus: int, nodes: int, usable_gib: float) -> Sized:
        """The best layout on `nodes` nodes of `gpus` GPUs with `usable_gib` each.

        The first in the usual order of speed that fits, else the one that needs least.
        """
        return self.ways(gpus, nodes, usable_gib)[0]

    def ways(self, gpus: int, nodes: int, usable_gib: float) -> tuple[Sized, ...]:
        """Of each sharding that fits the largest micro-batch that does, in the usual order of
        speed; where none fits, the one layout that needs least.
        """
        key = (gpus, nodes, usable_gib)
        if key not in self._sizes:
            layouts = self._layouts_for(gpus, nodes)
            fitting: dict[Sharding, Sized] = {}
            for one in layouts:
                if verdict(one.estimate, usable_gib) == "fits":
                    fitting.setdefault(one.setup.sharding, one)
            least = min(layouts, key=lambda one: one.estimate.device_gib)
            self._sizes[key] = tuple(
                one._replace(
                    verdict=verdict(one.estimate, usable_gib),
                    estimate=on_card(one.estimate, usable_gib),
                )
                for one in fitting.values() or (least,)
            )
        return self._sizes[key]

    def fastest(self, gpus: int, nodes: int, gpu: Gpu, interconnect: str) -> Paced | None:
        """The layout that runs fastest on such machines, of those that fit or, where none does, the
        one that is tight; None where it does not fit or nobody knows the card's rates.
        """
        key = (gpus, nodes, gpu.name, interconnect)
        if key not in self._paced:
            ways = self.ways(gpus, nodes, gpu.usable_gib)
            found = [
                Paced(pace, one)
                for one in ways
                if one.verdict != "does_not_fit"
                and (pace := speed(one.step, one.setup, gpu, interconnect, one.accumulation))
            ]
            self._paced[key] = max(found, key=lambda way: way.speed.tokens_per_s, default=None)
        return self._paced[key]

    def _settled_question(self) -> Training:
        update: dict[str, object] = {"global_batch": self._global_batch}
        if self._asked.micro_batch is None:  # searched, not assumed
            update["micro_batch"] = 1
        return self._asked.model_copy(update=update)

    def _layouts_for(self, gpus: int, nodes: int) -> tuple[Sized, ...]:
        key = (gpus, nodes)
        if key not in self._layouts:
            self._layouts[key] = tuple(
                self._sized(gpus, nodes, sharding, micro_batch)
                for sharding in self._shardings(gpus * nodes)
                for micro_batch in self._micro_batches(gpus * nodes)
            )
        return self._layouts[key]

    def _sized(self, gpus: int, nodes: int, sharding: Sharding, micro_batch: int) -> Sized:
        world = gpus * nodes
        setup = self._setup_of_one.setup._replace(
            gpus=world,
            nodes=nodes,
            sharding=sharding,
            micro_batch=micro_batch,
        )
        accumulation = max(1, -(-self._global_batch // (micro_batch * setup.workers)))
        setup = setup._replace(accumulates=accumulation > 1)
        estimate = estimate_setup(self.architecture, self.counts, setup)
        learned = trained(self.architecture, self.counts, setup)
        return Sized(
            setup=setup,
            estimate=estimate,
            verdict="does_not_fit",
            accumulation=accumulation,
            step=step_work(self.architecture, self.counts, setup, sample_tokens(setup)),
            checkpoint_gib=checkpoint_gib(learned),
            download_gb=published_bytes(self.counts, setup) / GB,
            result_gb=learned.weight_bytes / GB,
        )

    def _shardings(self, world: int) -> tuple[Sharding, ...]:
        """The layouts worth trying on `world` GPUs, the fastest first."""
        said = self._asked.sharding
        if said is None and self._asked.offload:
            return (offloading_layout(world),)
        if world == 1:
            return (said if said in ("zero1", "zero2", "zero3", "fsdp") else "none",)
        if said is not None and said != "none":
            return (said,)
        if self._setup_of_one.setup.base_dtype in refusals.UNSHARDABLE:
            return ("ddp", "device_map")
        if self._setup_of_one.setup.optimizer_in_backward:
            return ("fsdp",)
        return ("ddp", "fsdp")

    def _micro_batches(self, world: int) -> tuple[int, ...]:
        """Micro-batches to try, the largest first: those that divide a GPU's share of the global
        batch, so that it stays as asked.
        """
        if self._asked.micro_batch is not None:
            return (self._asked.micro_batch,)
        share = max(1, self._global_batch // world)
        most = max(1, min(share, ENOUGH_TOKENS // self.seq_len))
        return tuple(size for size in range(most, 0, -1) if share % size == 0)
