"""The same job for cards that compute in bf16 and for those that only have fp16."""

from planner.gpus.gpu import Gpu
from planner.gpus.kernels import lacks
from planner.models.architecture import Architecture
from planner.plan.sizing import Sizer
from planner.query import Training


class Sizers:
    """One sizer per kind of arithmetic, made when the first card needs it."""

    def __init__(self, architecture: Architecture, asked: Training, global_batch: int) -> None:
        self._architecture = architecture
        self._asked = asked
        self._global_batch = global_batch
        self._bf16 = Sizer(architecture, asked, global_batch)
        self._fp16: Sizer | None = None

    @property
    def usual(self) -> Sizer:
        """The sizer for cards that compute in bf16."""
        return self._bf16

    @property
    def bf16_was_said(self) -> bool:
        """Whether the asker insists on bf16."""
        return self._asked.base_dtype == "bf16" or self._asked.precision == "bf16"

    def of(self, gpu: Gpu) -> Sizer | None:
        """The sizer for `gpu`; None where it cannot compute what the asker insists on."""
        if self.missing_on(gpu):
            return None
        if gpu.supports_bf16:
            return self._bf16
        return None if self.bf16_was_said else self.in_fp16()

    def missing_on(self, gpu: Gpu) -> tuple[str, ...]:
        """The kernels the job asks for that `gpu` is too old for."""
        asked = (self._asked.attention, self._bf16.base_dtype)
        return tuple(feature for feature in asked if feature and lacks(gpu, feature))

    def on_named(self, gpu: Gpu) -> Sizer:
        """The sizer for a card the asker names: fp16 where it has no bf16, whatever was said."""
        return self._bf16 if gpu.supports_bf16 else self.in_fp16()

    def in_fp16(self) -> Sizer:
        """The job in fp16 with loss scaling: full fine-tuning then keeps fp32 weights."""
        if self._fp16 is None:
            update: dict[str, object] = {"precision": "amp"}
            if self._asked.method == "full":
                update["base_dtype"] = "fp32-amp-fp16"
            elif self._asked.base_dtype in (None, "bf16") and self._asked.method != "qlora":
                update["base_dtype"] = "fp16"
            asked = self._asked.model_copy(update=update)
            self._fp16 = Sizer(self._architecture, asked, self._global_batch)
        return self._fp16
