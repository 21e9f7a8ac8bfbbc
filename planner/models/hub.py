"""Architectures of models that the registry does not know, from the Hugging Face hub.

Only config.json and the counts in the safetensors headers are read, never weights. Both are bounded
in size and time, and kept on disk: what was read once answers without a network.
"""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from planner.errors import BadInput, NotFound, Refusal
from planner.models.registry import nearest

LARGEST_CONFIG_BYTES = 1_000_000
#: For everything that one model takes together.
SECONDS = 10.0
_NO_TIME = 0.1
#: Stored parameters of these types are one number each; packed 4-bit ones are not.
_WHOLE_DTYPES = frozenset({"F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2"})


class HubModel(NamedTuple):
    """What the hub says of a model; `params_total` is None where nobody counted whole numbers."""

    config: Mapping[str, Any]
    params_total: int | None


def hub_model(
    hf_id: str, cache_folder: Path | None = None, endpoint: str | None = None
) -> HubModel:
    """The model `hf_id` ("organisation/model"), from the cache or the hub at `endpoint`.

    Without `endpoint`, HF_ENDPOINT says where it is; HF_TOKEN and HF_HUB_OFFLINE are
    honoured. Raises NotFound where the hub has no such
    model, BadInput where it is gated, its config malformed or the hub out of reach.
    """
    folder = cache_folder or _user_cache()
    kept = folder / f"{hf_id.replace('/', '--')}.json"
    cached = _read(kept)
    if cached is not None:
        return cached
    found = _fetch(hf_id, endpoint)
    _keep(kept, found)
    return found


def config_of_file(path: Path) -> Mapping[str, Any]:
    """The config in the file `path`; BadInput says what is wrong with it."""
    try:
        if not path.is_file():
            raise BadInput("models.no_config_file", path=str(path))
        if path.stat().st_size > LARGEST_CONFIG_BYTES:
            raise BadInput("models.config_too_large", name=str(path))
        return parse_config(path.read_bytes(), str(path))
    except OSError as error:
        raise BadInput("models.no_config_file", path=str(path)) from error


def parse_config(raw: bytes, name: str) -> Mapping[str, Any]:
    """A config.json as an object; BadInput where it is none."""
    try:
        config = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise BadInput("models.config_not_json", name=name) from error
    if not isinstance(config, dict):
        raise BadInput("models.config_not_json", name=name)
    return config


def _user_cache() -> Path:
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("muat")) / "hub"


def _read(path: Path) -> HubModel | None:
    """What was kept, None where nothing readable was."""
    try:
        kept = json.loads(path.read_bytes())
        return HubModel(dict(kept["config"]), kept["params_total"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _keep(path: Path, found: HubModel) -> None:
    """Keep for the next time; a cache that cannot be written is done without."""
    temporary = path.with_suffix(f".{time.monotonic_ns()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(found._asdict()), encoding="utf-8")
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)


def _fetch(hf_id: str, endpoint: str | None) -> HubModel:
    from httpx2 import HTTPError
    from huggingface_hub.errors import HFValidationError, OfflineModeIsEnabled

    deadline = time.monotonic() + SECONDS

    def seconds_left() -> float:
        return max(_NO_TIME, deadline - time.monotonic())

    try:
        config = parse_config(_download_config(hf_id, endpoint, seconds_left), hf_id)
        return HubModel(config, _stored_params(hf_id, endpoint, seconds_left()))
    except HFValidationError as error:
        raise BadInput("models.not_a_hub_id", name=hf_id) from error
    except OfflineModeIsEnabled as error:
        raise _unreachable(hf_id) from error
    except HTTPError as error:
        raise _refusal(hf_id, error) from error


def _download_config(hf_id: str, endpoint: str | None, seconds_left: Callable[[], float]) -> bytes:
    """The raw config.json, at most LARGEST_CONFIG_BYTES of it and as long as there is time."""
    from huggingface_hub import get_session, get_token, hf_hub_url, hf_raise_for_status

    read = b""
    url, token = hf_hub_url(hf_id, "config.json", endpoint=endpoint), get_token()
    headers = {"authorization": f"Bearer {token}"} if token else {}
    with get_session().stream(
        "GET", url, headers=headers, timeout=seconds_left(), follow_redirects=True
    ) as response:
        hf_raise_for_status(response)
        for part in response.iter_bytes():
            read += part
            if len(read) > LARGEST_CONFIG_BYTES:
                raise BadInput("models.config_too_large", name=hf_id)
            if seconds_left() <= _NO_TIME:
                raise _unreachable(hf_id)
    return read


def _stored_params(hf_id: str, endpoint: str | None, seconds: float) -> int | None:
    """The numbers in the model's safetensors files, as the hub counted them; None where it did not,
    or where they are packed.
    """
    from httpx2 import HTTPError
    from huggingface_hub import HfApi

    try:
        found = HfApi(endpoint=endpoint).model_info(hf_id, timeout=seconds, expand=["safetensors"])
        counted = found.safetensors
    except HTTPError:
        return None
    if counted is None or not set(counted.parameters) <= _WHOLE_DTYPES:
        return None
    return counted.total


def _refusal(hf_id: str, error: Exception) -> Refusal:
    """The one sentence for a request that failed."""
    from huggingface_hub.errors import (
        EntryNotFoundError,
        GatedRepoError,
        RepositoryNotFoundError,
    )

    if isinstance(error, GatedRepoError):
        return BadInput("models.hub_gated", name=hf_id)
    if isinstance(error, RepositoryNotFoundError):
        return NotFound("models.hub_has_none", name=hf_id, nearest=nearest(hf_id))
    if isinstance(error, EntryNotFoundError):
        return BadInput("models.hub_no_config", name=hf_id)
    return _unreachable(hf_id)


def _unreachable(hf_id: str) -> BadInput:
    return BadInput("models.hub_unreachable", name=hf_id, nearest=nearest(hf_id))
