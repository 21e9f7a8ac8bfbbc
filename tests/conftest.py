"""What every test shares: folders of its own, no settings of the machine, no network."""

import logging
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.standins.hub import StandinHub, standin_hub

# Read when planner and bot are first used, so set before any test runs; one pair a process.
_FOLDERS = tempfile.TemporaryDirectory(prefix="muat-tests-")
os.environ["XDG_CACHE_HOME"] = f"{_FOLDERS.name}/cache"
os.environ["XDG_DATA_HOME"] = f"{_FOLDERS.name}/data"
os.environ["HF_HUB_OFFLINE"] = "1"
for _name in [name for name in os.environ if name.startswith("MUAT_")]:
    del os.environ[_name]


@pytest.fixture(autouse=True)
def settings_are_read_anew() -> Iterator[None]:
    """Settings are read once per process; a test that sets some must not lend them to the next."""
    from bot.settings import answer_settings, deployment

    answer_settings.cache_clear()
    deployment.cache_clear()
    yield
    answer_settings.cache_clear()
    deployment.cache_clear()


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without an .env file, made the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandinHub]:
    """A stand-in for the Hugging Face hub, which this process asks instead of the real one."""
    from huggingface_hub import constants
    from huggingface_hub.utils import close_session

    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with standin_hub() as standin:
        monkeypatch.setattr(constants, "ENDPOINT", standin.url)
        yield standin
        close_session()


@pytest.fixture(autouse=True)
def logs_go_where_they_went() -> Iterator[None]:
    """A process that a test starts sets up the logs; the next test has its own again."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level
    for handler in (*handlers, logging.lastResort):
        for one in handler.filters[:] if handler else ():
            if type(one).__name__ == "RedactSecrets":
                handler.removeFilter(one)


# How long an example takes says nothing about whether it is right.
settings.register_profile("muat", deadline=None)
settings.load_profile("muat")
