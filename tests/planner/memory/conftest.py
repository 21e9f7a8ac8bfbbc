"""Estimates by the name of a model and what is said about its training."""

from collections.abc import Callable
from typing import Any

import pytest

from planner.memory.estimate import estimate
from planner.memory.result import MemoryEstimate
from planner.memory.setup import Setup, settle
from planner.models.registry import resolve
from planner.query import Training


def _estimate_of(model: str, method: str, *, gpus: int = 1, nodes: int = 1, **said: Any) -> Any:
    asked = Training.model_validate({"method": method, **said})
    return estimate(resolve(model).architecture, asked, gpus=gpus, nodes=nodes)


def _setup_of(model: str, method: str, *, gpus: int = 1, **said: Any) -> Setup:
    asked = Training.model_validate({"method": method, **said})
    return settle(resolve(model).architecture, asked, gpus=gpus).setup


@pytest.fixture(scope="session")
def estimate_of() -> Callable[..., MemoryEstimate]:
    """Estimates a registry model: `estimate_of("llama-3.1-8b", "lora", seq_len=4096, gpus=2)`."""
    return _estimate_of


@pytest.fixture(scope="session")
def setup_of() -> Callable[..., Setup]:
    """Settles a job without estimating it."""
    return _setup_of
