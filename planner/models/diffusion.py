"""Image and video diffusion models: the part that is trained, and how many tokens a picture is."""

from functools import cache
from typing import NamedTuple

from planner.data_files import read_rows
from planner.errors import BadInput
from planner.models.architecture import Architecture

_PACKAGE = "planner.models"
#: Short forms of attention linears that language models use.
_SHORT_FORMS = {"q": "to_q", "k": "to_k", "v": "to_v", "o": "to_out.0"}
_COUNTS = (
    "trained_params", "linear_params", "largest_linear", "encoder_params", "vae_params",
    "double_blocks", "single_blocks", "parts", "hidden", "pixels_per_latent", "patch",
    "text_tokens", "resolution", "frames", "frames_per_latent",
)  # fmt: skip
GROUPS = ("attention", "all-linear")


class Denoiser(NamedTuple):
    """The transformer or UNet of a pipeline; text encoders and VAE stand beside it.

    `active_per_token` is half the operations of a forward per token at the usual resolution:
    parameters a token passes through, attention included; None where nobody counted. `block` names
    the row of the memory coefficients; a UNet counts as one block of hidden size 1, as its widths
    change on the way. `text_tokens` are those that run through the blocks beside the picture's.
    `parts` are what is gathered or recomputed at once: a transformer's blocks, a UNet's stages.
    `resolution` (pixels a side) and `frames` are the usual ones.
    """

    trained_params: int
    linear_params: int
    largest_linear: int
    active_per_token: int | None
    encoder_params: int
    vae_params: int
    block: str
    double_blocks: int
    single_blocks: int
    parts: int
    hidden: int
    pixels_per_latent: int
    patch: int
    text_tokens: int
    resolution: int
    frames: int
    frames_per_latent: int

    def tokens(self, resolution: int) -> int:
        """Tokens of one square picture (or clip): latent patches, and the text in the stream.

        The VAE makes one latent of 8 x 8 pixels, the transformer one token of 2 x 2 latents; a
        video's VAE keeps the first frame and one of every four after it.
        """
        side = max(1, round(resolution / (self.pixels_per_latent * self.patch)))
        frames = (self.frames - 1) // self.frames_per_latent + 1
        return side * side * frames + self.text_tokens


class DenoiserLinear(NamedTuple):
    """All linears of one name: the sums of their inputs and outputs, and the largest weight."""

    name: str
    group: str
    in_features_sum: int
    out_features_sum: int
    largest: int


@cache
def _denoisers() -> dict[str, Denoiser]:
    return {
        row["hf_id"]: Denoiser(
            active_per_token=int(row["active_per_token"]) if row["active_per_token"] else None,
            block=row["block"],
            **{name: int(row[name]) for name in _COUNTS},
        )
        for row in read_rows(_PACKAGE, "diffusion.csv")
    }


@cache
def _linears() -> dict[str, tuple[DenoiserLinear, ...]]:
    found: dict[str, list[DenoiserLinear]] = {}
    for row in read_rows(_PACKAGE, "diffusion_linears.csv"):
        found.setdefault(row["hf_id"], []).append(
            DenoiserLinear(
                name=row["name"],
                group=row["group"],
                in_features_sum=int(row["in_features_sum"]),
                out_features_sum=int(row["out_features_sum"]),
                largest=int(row["largest"]),
            )
        )
    return {hf_id: tuple(rows) for hf_id, rows in found.items()}


def denoiser(architecture: Architecture) -> Denoiser:
    """The part of a diffusion model that is trained, else BadInput."""
    found = _denoisers().get(architecture.hf_id)
    if found is None:
        raise BadInput("memory.diffusion_unsupported", model=architecture.display_name)
    return found


def adapted(architecture: Architecture, targets: str) -> tuple[DenoiserLinear, ...]:
    """The linears that `targets` reaches; BadInput for a name that the model has not."""
    linears = _linears()[architecture.hf_id]
    if targets == "all-linear":
        return linears
    if targets == "attention":
        return tuple(one for one in linears if one.group == "attention")
    wanted = [typed.strip() for typed in targets.split(",")]
    names = {_SHORT_FORMS.get(typed.lower(), typed) for typed in wanted}
    known = tuple(one.name for one in linears)
    for name in sorted(names):
        if name not in known:
            raise BadInput("memory.unknown_target", target=name, known=known)
    return tuple(one for one in linears if one.name in names)
