"""Models of the hub, from a stand-in server on this machine."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from planner.errors import BadInput, NotFound, Refusal
from planner.models import hub

CONFIG = {"model_type": "llama", "hidden_size": 64}


class Answer(NamedTuple):
    """What the stand-in says to one path."""

    status: int
    body: bytes
    error_code: str = ""


class _Hub:
    """A server that knows some paths, and counts what it was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def says(self, path: str, body: Any, status: int = 200, error_code: str = "") -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answers[path] = Answer(status, raw, error_code)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                stand_in.asked.append(path)
                missing = Answer(404, b"{}", "RepoNotFound")
                answer = stand_in.answers.get(path, missing)
                self.send_response(answer.status)
                if answer.error_code:
                    self.send_header("X-Error-Code", answer.error_code)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        return Handler


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Hub]:
    """A hub on this machine, reached although the tests run offline."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    found = _Hub()
    yield found
    found.server.shutdown()
    found.server.server_close()


def test_config_and_counts_are_read_once_and_kept(served: _Hub, tmp_path: Path) -> None:
    served.says("/org/model/resolve/main/config.json", CONFIG)
    served.says(
        "/api/models/org/model",
        {"id": "org/model", "safetensors": {"parameters": {"BF16": 7}, "total": 7}},
    )
    first = hub.hub_model("org/model", tmp_path, served.url)
    assert first == hub.HubModel(CONFIG, 7)
    asked = len(served.asked)
    served.answers.clear()
    assert hub.hub_model("org/model", tmp_path, served.url) == first
    assert len(served.asked) == asked


@pytest.mark.parametrize("stored", [None, {"parameters": {"BF16": 5, "U8": 2}, "total": 7}])
def test_packed_or_uncounted_parameters_are_unknown(
    served: _Hub, tmp_path: Path, stored: object
) -> None:
    served.says("/org/model/resolve/main/config.json", CONFIG)
    served.says("/api/models/org/model", {"id": "org/model", "safetensors": stored})
    assert hub.hub_model("org/model", tmp_path, served.url).params_total is None


REFUSALS = [
    ("RepoNotFound", 401, NotFound, "models.hub_has_none"),
    ("RepoNotFound", 404, NotFound, "models.hub_has_none"),
    ("GatedRepo", 403, BadInput, "models.hub_gated"),
    ("EntryNotFound", 404, BadInput, "models.hub_no_config"),
    ("", 500, BadInput, "models.hub_unreachable"),
]


@pytest.mark.parametrize(("error_code", "status", "kind", "code"), REFUSALS)
def test_what_the_hub_refuses_is_one_sentence(
    served: _Hub, tmp_path: Path, error_code: str, status: int, kind: type[Refusal], code: str
) -> None:
    served.says("/org/model/resolve/main/config.json", {}, status, error_code)
    with pytest.raises(kind) as refusal:
        hub.hub_model("org/model", tmp_path, served.url)
    assert refusal.value.note.code == code
    assert list(tmp_path.iterdir()) == []


def test_a_config_without_end_is_not_read_to_its_end(served: _Hub, tmp_path: Path) -> None:
    served.says("/org/model/resolve/main/config.json", b" " * (hub.LARGEST_CONFIG_BYTES + 1))
    with pytest.raises(BadInput) as refusal:
        hub.hub_model("org/model", tmp_path, served.url)
    assert refusal.value.note.code == "models.config_too_large"


@pytest.mark.parametrize("raw", [b"<html>", b"[1, 2]", b"", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_object_is_refused(served: _Hub, tmp_path: Path, raw: bytes) -> None:
    served.says("/org/model/resolve/main/config.json", raw)
    with pytest.raises(BadInput) as refusal:
        hub.hub_model("org/model", tmp_path, served.url)
    assert refusal.value.note.code == "models.config_not_json"
    file = tmp_path / "config.json"
    file.write_bytes(raw)
    with pytest.raises(BadInput):
        hub.config_of_file(file)


def test_a_hub_that_nobody_answers_for_is_unreachable(served: _Hub, tmp_path: Path) -> None:
    served.server.shutdown()
    served.server.server_close()
    with pytest.raises(BadInput) as refusal:
        hub.hub_model("org/model", tmp_path, served.url)
    assert refusal.value.note.code == "models.hub_unreachable"
    assert refusal.value.note.values["nearest"]


def test_an_id_that_cannot_be_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as refusal:
        hub.hub_model("org/..", tmp_path)
    assert refusal.value.note.code == "models.not_a_hub_id"


def test_a_broken_cache_is_read_again(served: _Hub, tmp_path: Path) -> None:
    (tmp_path / "org--model.json").write_text("{", encoding="utf-8")
    served.says("/org/model/resolve/main/config.json", CONFIG)
    assert hub.hub_model("org/model", tmp_path, served.url).config == CONFIG


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    large = tmp_path / "large.json"
    large.write_bytes(b" " * (hub.LARGEST_CONFIG_BYTES + 1))
    for path, code in (
        (tmp_path, "no_config_file"),
        (tmp_path / "x", "no_config_file"),
        (large, "config_too_large"),
    ):
        with pytest.raises(BadInput) as refusal:
            hub.config_of_file(path)
        assert refusal.value.note.code == f"models.{code}"
