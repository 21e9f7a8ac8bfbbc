"""The hub's models by id: asked within bounds, kept on disk, refused in one sentence."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from planner.errors import BadInput
from planner.models.hub import cache
from planner.models.hub.folder import resolve_file
from planner.models.hub.reading import LARGEST_CONFIG, Found
from planner.models.hub.remote import is_hub_id, resolve_hub
from planner.models.registry import Resolved
from tests.standins.hub import StandinHub

HF_ID = "acme/newcomer-8b"
CONFIG_PATH = f"/{HF_ID}/resolve/main/config.json"
API_PATH = f"/api/models/{HF_ID}?expand%5B%5D=safetensors"
INDEX_PATH = f"/{HF_ID}/resolve/main/model.safetensors.index.json"
CONFIG: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256,
    "tie_word_embeddings": False, "torch_dtype": "bfloat16",
}  # fmt: skip
BY_FORMULA = 8_030_261_248


def dumped(value: object) -> bytes:
    return json.dumps(value).encode()


def refusal(folder: Path, hf_id: str = HF_ID, seconds: float = 10.0) -> BadInput:
    with pytest.raises(BadInput) as refused:
        resolve_hub(hf_id, folder, seconds)
    return refused.value


def total(read: Resolved) -> int:
    return read.architecture.params_total


def test_a_model_is_read_from_its_config_and_the_hubs_count(
    hub: StandinHub, tmp_path: Path
) -> None:
    hub.put(CONFIG_PATH, dumped(CONFIG))
    hub.put(API_PATH, dumped({"safetensors": {"parameters": {"BF16": 8_030_300_000}}}))
    read = resolve_hub(HF_ID, tmp_path)
    assert read.architecture.hf_id == HF_ID
    assert read.architecture.display_name == "newcomer-8b"
    assert total(read) == 8_030_300_000
    assert [one.code for one in read.notes] == ["models.from_hub"]
    assert hub.asked == [CONFIG_PATH, API_PATH]


@pytest.mark.parametrize(
    ("index", "params"),
    [
        ({"metadata": {"total_parameters": 8_030_300_000, "total_size": 1}}, 8_030_300_000),
        ({"metadata": {"total_size": 16_060_600_000}}, 8_030_300_000),
        ({"metadata": {"total_size": "many"}}, BY_FORMULA),
        ({"metadata": [1]}, BY_FORMULA),
        ([1], BY_FORMULA),
    ],
)
def test_a_hub_that_counts_nothing_is_asked_for_the_index(
    hub: StandinHub, tmp_path: Path, index: object, params: int
) -> None:
    hub.put(CONFIG_PATH, dumped(CONFIG))
    hub.put(API_PATH, dumped({}))
    hub.put(INDEX_PATH, dumped(index))
    assert total(resolve_hub(HF_ID, tmp_path)) == params


@pytest.mark.parametrize(
    "said",
    [
        {"parameters": {"I32": 1_000_000_000, "F16": 1_000_000_000}},
        {"parameters": {"U8": 4_000_000_000}},
        {"parameters": {"BF16": "8"}},
        {"parameters": {}},
    ],
)
def test_packed_and_senseless_counts_leave_it_to_the_formula(
    hub: StandinHub, tmp_path: Path, said: object
) -> None:
    hub.put(CONFIG_PATH, dumped(CONFIG))
    hub.put(API_PATH, dumped({"safetensors": said}))
    assert total(resolve_hub(HF_ID, tmp_path)) == BY_FORMULA


def test_the_token_goes_along(
    hub: StandinHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    hub.put(CONFIG_PATH, dumped(CONFIG))
    resolve_hub(HF_ID, tmp_path)
    assert hub.tokens == {"Bearer hf_secret"}


def test_an_answer_is_kept_and_needs_no_hub_again(hub: StandinHub, tmp_path: Path) -> None:
    hub.put(CONFIG_PATH, dumped(CONFIG))
    hub.put(API_PATH, dumped({"safetensors": {"parameters": {"BF16": 8_030_300_000}}}))
    first = resolve_hub(HF_ID, tmp_path)
    hub.answers.clear()
    assert resolve_hub(HF_ID, tmp_path) == first
    assert len(hub.asked) == 2


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"version": 0, "config": {}}', b"\xff"])
def test_a_broken_entry_is_asked_for_again(hub: StandinHub, tmp_path: Path, broken: bytes) -> None:
    hub.put(CONFIG_PATH, dumped(CONFIG))
    (tmp_path / "acme--newcomer-8b.json").write_bytes(broken)
    assert total(resolve_hub(HF_ID, tmp_path)) == BY_FORMULA
    assert cache.load(tmp_path, HF_ID) == Found(CONFIG, None)


def test_a_folder_that_cannot_be_written_to_keeps_nothing(hub: StandinHub, tmp_path: Path) -> None:
    hub.put(CONFIG_PATH, dumped(CONFIG))
    (tmp_path / "file").write_text("")
    assert total(resolve_hub(HF_ID, tmp_path / "file")) == BY_FORMULA


def test_the_oldest_entries_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_ENTRIES", 2)
    for number in range(4):
        cache.keep(tmp_path, f"acme/m{number}", Found(CONFIG, number))
    assert len(list(tmp_path.iterdir())) == 2
    assert cache.load(tmp_path, "acme/m3") == Found(CONFIG, 3)


@pytest.mark.parametrize(
    ("status", "error_code", "code"),
    [
        (404, "", "models.hub_not_found"),
        (404, "EntryNotFound", "models.hub_no_config"),
        (401, "RepoNotFound", "models.hub_not_found"),
        (401, "GatedRepo", "models.hub_gated"),
        (401, "", "models.hub_gated"),
        (403, "GatedRepo", "models.hub_gated"),
        (429, "", "models.hub_refused"),
        (500, "", "models.hub_refused"),
    ],
)
def test_what_the_hub_refuses_is_said(
    hub: StandinHub, tmp_path: Path, status: int, error_code: str, code: str
) -> None:
    hub.put(CONFIG_PATH, b"<html>", status)
    hub.headers["X-Error-Code"] = error_code
    assert refusal(tmp_path).note.code == code
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "models.config_not_json"),
        (b"<html>", "models.config_not_json"),
        (b"\xff\xfe", "models.config_not_json"),
        (b"[" * 100_000, "models.config_not_json"),
        (gzip.compress(dumped(CONFIG)), "models.config_not_json"),
        (b"[1]", "models.config_not_object"),
        (b"{}", "models.config_lacks"),
        (b'{"a": "' + b"x" * LARGEST_CONFIG + b'"}', "models.config_too_large"),
    ],
)
def test_what_is_no_config_is_refused(
    hub: StandinHub, tmp_path: Path, body: bytes, code: str
) -> None:
    hub.put(CONFIG_PATH, body)
    assert refusal(tmp_path).note.code == code


def test_a_hub_that_dawdles_is_given_up(hub: StandinHub, tmp_path: Path) -> None:
    hub.put(CONFIG_PATH, dumped(CONFIG) + b" " * 10_000)
    hub.drip = True
    assert refusal(tmp_path, seconds=0.3).note.code == "models.hub_too_slow"


def test_no_hub_at_all_names_what_is_known(hub: StandinHub, tmp_path: Path) -> None:
    hub.server.shutdown()
    hub.server.server_close()
    note = refusal(tmp_path).note
    assert note.code == "models.hub_offline"
    nearest = note.values["nearest"]
    assert isinstance(nearest, tuple)
    assert len(nearest) == 3


def test_offline_mode_is_honoured(
    hub: StandinHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    hub.put(CONFIG_PATH, dumped(CONFIG))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert refusal(tmp_path).note.code == "models.hub_offline"
    assert hub.asked == []


@pytest.mark.parametrize("endpoint", ["", "nonsense", "http://", "http://[", "ftp://127.0.0.1"])
def test_a_senseless_endpoint_is_no_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, endpoint: str
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", endpoint)
    assert refusal(tmp_path).note.code == "models.hub_offline"


@pytest.mark.parametrize(
    ("name", "is_id"),
    [
        ("acme/newcomer-8b", True),
        ("a/b", True),
        ("acme", False),
        ("acme/../etc", False),
        ("../etc/passwd", False),
        ("acme/..", False),
        ("acme/a..b", False),
        ("acme/a--b", False),
        ("acme/a?b", False),
        ("acme/ä", False),
        ("acme/a/b", False),
        ("acme/" + "x" * 97, False),
        ("acme/a\n", False),
    ],
)
def test_only_ids_are_asked_for(name: str, is_id: bool) -> None:
    assert is_hub_id(name) is is_id


# A config.json in a folder, with weight files beside it.


def folder(tmp_path: Path, **files: bytes) -> Path:
    (tmp_path / "config.json").write_bytes(dumped(CONFIG))
    for name, body in files.items():
        (tmp_path / name.replace("_", ".")).write_bytes(body)
    return tmp_path / "config.json"


def safetensors(header: object) -> bytes:
    raw = dumped(header)
    return len(raw).to_bytes(8, "little") + raw


def tensor(dtype: str, *shape: object) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [0, 0]}


def test_an_index_beside_the_config_counts(tmp_path: Path) -> None:
    index = dumped({"metadata": {"total_size": 16_060_600_000}, "weight_map": {}})
    read = resolve_file(folder(tmp_path, model_safetensors_index_json=index))
    assert total(read) == 8_030_300_000


def test_the_headers_beside_the_config_count(tmp_path: Path) -> None:
    half = {"__metadata__": {"format": "pt"}, "a": tensor("BF16", 4_015_000, 1000)}
    path = folder(
        tmp_path,
        one_safetensors=safetensors(half | {"ids": tensor("I64", 1, 512)}),
        two_safetensors=safetensors(half),
        adapter_safetensors=safetensors(half),
    )
    assert total(resolve_file(path)) == 8_030_000_000


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff" * 8,
        b"\x05" + bytes(7) + b"abcde",
        safetensors([1]),
        safetensors({"a": 1}),
        safetensors({"a": {"dtype": ["x"], "shape": "y"}}),
        safetensors({"a": tensor("BF16", -1, 5)}),
        safetensors({"a": tensor("U8", 4_000_000_000)}),
        safetensors({}),
    ],
)
def test_headers_that_tell_nothing_leave_it_to_the_formula(tmp_path: Path, body: bytes) -> None:
    assert total(resolve_file(folder(tmp_path, model_safetensors=body))) == BY_FORMULA


def test_a_config_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b"\xef\xbb\xbf" + dumped(CONFIG))
    assert total(resolve_file(path)) == BY_FORMULA


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("nowhere.json", "models.config_no_file"),
        ("a\0b", "models.config_no_file"),
        ("x" * 5000, "models.config_no_file"),
        (".", "models.config_is_folder"),
        ("/dev/zero", "models.config_no_file"),
    ],
)
def test_what_is_no_file_is_refused(empty_folder: Path, path: str, code: str) -> None:
    with pytest.raises(BadInput) as refused:
        resolve_file(Path(path))
    assert refused.value.note.code == code
