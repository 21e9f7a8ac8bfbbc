"""A model of the Hugging Face hub by its id: config.json and metadata only, never weights.

Bounded in size and time, and kept on disk. HF_ENDPOINT, HF_TOKEN and HF_HUB_OFFLINE are honoured
by huggingface_hub, which loads with the first question that the cache cannot answer.
"""

import re
import time
from collections.abc import Callable
from concurrent.futures import Future, TimeoutError
from pathlib import Path
from threading import Thread
from urllib.parse import quote

from planner.errors import BadInput
from planner.models.config import architecture_from_config
from planner.models.hub import cache
from planner.models.hub.folder import INDEX_FILE, LARGEST_INDEX
from planner.models.hub.reading import LARGEST_CONFIG, Found, config_of, json_or_none
from planner.models.registry import Resolved, nearest
from planner.models.safetensors import params_by_dtype, params_in_index
from planner.notes import note

#: Seconds for everything that is asked about one model.
TIME_LIMIT = 10.0
#: The share of it that the requests have: what is known by then is still answered.
_FOR_REQUESTS = 0.9
_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_NOT_THERE, _NOT_ALLOWED = 404, (401, 403)
_FOUND = 200


class _Answer:
    """What the hub said to one request: its status, its error code, and at most so many bytes."""

    def __init__(self, status: int, code: str, body: bytes) -> None:
        self.status = status
        self.code = code
        self.body = body


def is_hub_id(name: str) -> bool:
    """Whether a name is shaped like "owner/name"."""
    return _ID.fullmatch(name) is not None and ".." not in name and "--" not in name


def resolve_hub(hf_id: str, folder: Path | None = None, seconds: float = TIME_LIMIT) -> Resolved:
    """The architecture of a model on the hub, by its cached entry in `folder` or by asking.

    BadInput says in one sentence why it cannot be had: not found, gated, offline, slow, malformed.
    """
    entries = folder or cache.default_folder()
    found = cache.load(entries, hf_id)
    if found is None:
        found = _in_time(lambda: _ask(hf_id, entries, seconds), hf_id, seconds)
    read = architecture_from_config(found.config, hf_id, found.params_in_files)
    return read._replace(notes=(note("models.from_hub", model=hf_id), *read.notes))


def _in_time(ask: Callable[[], Found], hf_id: str, seconds: float) -> Found:
    """The answer of `ask`, given up after `seconds`: looking up an address knows no time limit."""
    future: Future[Found] = Future()

    def answer() -> None:
        try:
            future.set_result(ask())
        except BaseException as error:  # raised again in the thread that waits for it
            future.set_exception(error)

    Thread(target=answer, daemon=True).start()
    try:
        return future.result(seconds)
    except TimeoutError:
        raise _too_slow(hf_id, seconds) from None


def _ask(hf_id: str, entries: Path, seconds: float) -> Found:
    deadline = time.monotonic() + seconds * _FOR_REQUESTS
    answer = _get(hf_id, f"{hf_id}/resolve/main/config.json", LARGEST_CONFIG, deadline)
    _refuse(answer, hf_id)
    config = config_of(answer.body, hf_id)
    if not isinstance(config, dict):
        raise BadInput("models.config_not_object", name=hf_id)
    try:
        found = Found(config, _params_in_files(hf_id, config, deadline))
    except BadInput:
        return Found(config, None)  # not kept: the next question may learn the count
    cache.keep(entries, hf_id, found)
    return found


def _params_in_files(hf_id: str, config: dict[str, object], deadline: float) -> int | None:
    """The parameters that the hub counts in the safetensors files; None where it counts none."""
    counted = _get(hf_id, f"api/models/{hf_id}?expand%5B%5D=safetensors", LARGEST_CONFIG, deadline)
    said = json_or_none(counted.body) if counted.status == _FOUND else None
    tensors = said.get("safetensors") if isinstance(said, dict) else None
    by_dtype = tensors.get("parameters") if isinstance(tensors, dict) else None
    if isinstance(by_dtype, dict):
        return params_by_dtype(by_dtype)
    index = _get(hf_id, f"{hf_id}/resolve/main/{INDEX_FILE}", LARGEST_INDEX, deadline)
    return params_in_index(json_or_none(index.body), config) if index.status == _FOUND else None


def _get(hf_id: str, path: str, largest: int, deadline: float) -> _Answer:
    """At most `largest` + 1 bytes of what lies at `path` on the hub, before `deadline`."""
    import httpx2
    from huggingface_hub import constants, get_session, get_token
    from huggingface_hub.errors import OfflineModeIsEnabled

    # Not build_hf_headers: it asks the hub a question of its own, without a time limit.
    headers = {"User-Agent": "muat", "Accept-Encoding": "identity"}
    token = get_token()
    if token:
        headers["Authorization"] = f"Bearer {token}"
    body = bytearray()
    try:
        url = f"{constants.ENDPOINT}/{quote(path, safe='/?=%')}"
        left = max(0.1, deadline - time.monotonic())
        with get_session().stream("GET", url, headers=headers, timeout=left) as response:
            for chunk in response.iter_raw():
                body += chunk
                if len(body) > largest or time.monotonic() > deadline:
                    break
            code = response.headers.get("X-Error-Code", "")
            status = response.status_code
    except httpx2.TimeoutException:
        raise _too_slow(hf_id, TIME_LIMIT) from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OfflineModeIsEnabled, OSError):
        raise BadInput("models.hub_offline", name=hf_id, nearest=nearest(hf_id)) from None
    if time.monotonic() > deadline:
        raise _too_slow(hf_id, TIME_LIMIT)
    return _Answer(status, code, bytes(body[: largest + 1]))


def _refuse(answer: _Answer, hf_id: str) -> None:
    """BadInput where the hub gave no config.json."""
    if answer.status == _FOUND:
        return
    if answer.code == "EntryNotFound":
        raise BadInput("models.hub_no_config", name=hf_id)
    if answer.status == _NOT_THERE or answer.code == "RepoNotFound":
        raise BadInput("models.hub_not_found", name=hf_id, nearest=nearest(hf_id))
    if answer.status in _NOT_ALLOWED:
        raise BadInput("models.hub_gated", name=hf_id)
    raise BadInput("models.hub_refused", name=hf_id, status=answer.status)


def _too_slow(hf_id: str, seconds: float) -> BadInput:
    return BadInput("models.hub_too_slow", name=hf_id, limit_seconds=round(seconds))
