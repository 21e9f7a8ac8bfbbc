"""What somebody asks: the model, the method, every estimate key, and the limits on what to rent."""

from typing import Literal

from pydantic import SerializerFunctionWrapHandler, model_serializer

from planner.base import Frozen

Method = Literal[
    "full", "lora", "qlora", "adapter", "adapter_v2", "prefix", "prompt", "ia3", "dora"
]
Stack = Literal[
    "hf-trl", "hf-trainer", "hf-peft", "torchtune", "litgpt", "ms-swift", "axolotl", "unsloth",
    "llama-factory", "fsdp_qlora", "megatron",
]  # fmt: skip
BaseDtype = Literal[
    "bf16", "fp16", "fp32", "fp32-amp-fp16", "nf4", "int8", "gptq-int4", "gptq-int8", "fp8", "mxfp4"
]
Precision = Literal["bf16", "amp", "mixed"]
Optimizer = Literal[
    "adamw", "adamw-fused", "adamw-8bit", "adamw-4bit", "paged-adamw", "paged-adamw-8bit",
    "adafactor", "sgd", "muon",
]  # fmt: skip
OptimizerStates = Literal["fp32", "param"]
Checkpointing = Literal["none", "full", "selective"]
Attention = Literal["flash", "sdpa", "eager", "flex_attention"]
Loss = Literal[
    "standard", "fast_ce", "chunked_ce", "chunked_output", "chunked_linear", "fused_linear"
]
Sharding = Literal["none", "ddp", "zero1", "zero2", "zero3", "fsdp", "device_map"]
Market = Literal["spot", "on_demand"]
Need = Literal[
    "docker", "jupyter", "ssh", "kubernetes", "slurm", "persistent_storage", "infiniband"
]
Language = Literal["en", "id"]


class Tuning(Frozen):
    """Every estimate key beside method, sequence length and micro-batch; None is "not said".

    Serialised, only what was said appears.
    """

    stack: Stack | None = None
    stack_version: str | None = None
    base_dtype: BaseDtype | None = None
    double_quant: bool | None = None
    precision: Precision | None = None
    kbit_preparation: bool | None = None
    global_batch: int | None = None
    lora_rank: int | None = None
    lora_targets: str | None = None
    virtual_tokens: int | None = None
    train_embeddings: bool | None = None
    optimizer: Optimizer | None = None
    optimizer_states: OptimizerStates | None = None
    master_weights: bool | None = None
    optimizer_in_backward: bool | None = None
    gradient_checkpointing: Checkpointing | None = None
    activation_offload: bool | None = None
    attention: Attention | None = None
    loss: Loss | None = None
    packing: bool | None = None
    torch_compile: bool | None = None
    resolution: int | None = None
    images: int | None = None
    sharding: Sharding | None = None
    offload: bool | None = None
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    expert_parallel: int | None = None
    context_parallel: int | None = None

    @model_serializer(mode="wrap")
    def _only_what_was_said(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        return {key: value for key, value in handler(self).items() if value is not None}


class Training(Tuning):
    """How one job trains: every estimate key. What is None takes the stack's default."""

    method: Method = "qlora"
    seq_len: int | None = None
    micro_batch: int | None = None


class PlanQuery(Frozen):
    """One question to the planner. GiB, USD and hours; None is "not said".

    `tokens` are per epoch: what is trained is tokens x epochs. `rental_hours` is how long somebody
    means to rent, `deadline_hours` the time by which the run must be done, `dataset_gb` the size of
    the data on disk.
    """

    model: str | None = None
    method: Method | None = None
    gpu: str | None = None
    gpu_count: int | None = None
    nodes: int | None = None
    vram_gib: float | None = None
    market: Market | None = None
    region: str | None = None
    provider: str | None = None
    max_usd_per_hour: float | None = None
    max_usd_total: float | None = None
    deadline_hours: float | None = None
    rental_hours: float | None = None
    samples: int | None = None
    tokens: int | None = None
    epochs: float | None = None
    dataset_gb: float | None = None
    seq_len: int | None = None
    micro_batch: int | None = None
    training: Tuning = Tuning()
    needs: tuple[Need, ...] = ()

    def training_as(self, method: Method) -> Training:
        """What the query says about the training, planned as `method`."""
        said = {name: getattr(self.training, name) for name in Tuning.model_fields}
        return Training(method=method, seq_len=self.seq_len, micro_batch=self.micro_batch, **said)
