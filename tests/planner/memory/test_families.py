"""What one layer saves per token, by family, against PyTorch's own bookkeeping.

Each figure is the difference between a model of four and of two layers after the forward of one
step of the transformers code on fake tensors (PyTorch 2.13, transformers 5.24, 1,024 tokens,
rank 16, no checkpointing), in bytes per token and layer. No figure here comes from Muat.
"""

from collections.abc import Callable

import pytest

from planner.memory.activations import per_token
from planner.memory.counts import count
from planner.memory.setup import Setup
from planner.models.registry import resolve

ROWS = [
    ("llama-3.1-8b", "full", "bf16", 200855),
    ("llama-3.1-8b", "full", "amp", 241786),
    ("llama-3.1-8b", "lora", "amp", 219991),
    ("llama-3.1-8b", "qlora", "amp", 297848),
    ("qwen2.5-7b", "full", "bf16", 225391),
    ("qwen3-8b", "full", "bf16", 215325),
    ("qwen3-8b", "full", "amp", 256282),
    ("qwen3-8b", "lora", "amp", 224081),
    ("qwen3-8b", "qlora", "amp", 289617),
    ("gemma-3-4b", "full", "bf16", 217213),
    ("gemma-3-4b", "lora", "amp", 185388),
    ("gemma-3-4b", "qlora", "amp", 242693),
    ("olmo-2-7b", "full", "bf16", 268435),
    ("olmo-2-7b", "lora", "amp", 238341),
    ("phi-4", "full", "bf16", 274098),
    ("phi-4", "lora", "amp", 256429),
    ("pythia-2.8b", "full", "bf16", 92327),
    ("pythia-2.8b", "lora", "amp", 109104),
    ("gpt2-xl", "full", "bf16", 92904),
    ("gpt2-xl", "lora", "amp", 141872),
    ("phi-2", "full", "bf16", 138360),
    ("phi-2", "qlora", "amp", 242431),
    ("starcoder2-3b", "full", "bf16", 87137),
    ("starcoder2-3b", "qlora", "amp", 138045),
]


@pytest.mark.parametrize(("model", "method", "precision", "measured"), ROWS)
def test_what_a_layer_saves_is_what_pytorch_keeps(
    setup_of: Callable[..., Setup], model: str, method: str, precision: str, measured: float
) -> None:
    """Within 3 %: the adapters' 16-bit copies, which are in the measurement, are not in it."""
    setup = setup_of(
        model, method, stack="hf-trainer", precision=precision, gradient_checkpointing="none",
        attention="sdpa", lora_rank=16, optimizer_states="fp32" if precision == "amp" else "param",
    )  # fmt: skip
    architecture = resolve(model).architecture
    saved = per_token(architecture, count(architecture), setup).saved
    assert saved == pytest.approx(measured, rel=0.03)
