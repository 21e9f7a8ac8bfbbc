"""Vision towers: how many patches a picture is, and how many tokens it brings to the language
model."""

import math
from functools import cache
from typing import Literal, NamedTuple

from planner.data_files import read_rows
from planner.models.architecture import Architecture

Rule = Literal["native", "fixed", "tiles"]
#: Pixels a side of a picture nobody described: about a megapixel, as most data sets are cut to.
USUAL_RESOLUTION = 1024


class Tower(NamedTuple):
    """The encoder of pictures.

    `rule` says how a picture is cut: "native" keeps its size in patches, between min_pixels and
    max_pixels; "fixed" scales it to `tile` pixels a side; "tiles" cuts it into up to `most_tiles`
    tiles of that size and adds a small one of the whole where there is more than one. `merge` x
    `merge` patches become one token. `in_sequence` is false where pictures reach the language
    model by cross-attention and take no room in its sequence. `code` names the row of the memory
    coefficients. `usual_images` are the pictures of a training sequence where nobody says: none
    for models that most people tune on text alone.
    """

    code: str
    rule: Rule
    patch: int
    merge: int
    tile: int
    most_tiles: int
    min_pixels: int
    max_pixels: int
    layers: int
    hidden: int
    intermediate: int
    mlp_linears: int
    in_sequence: bool
    usual_images: int

    @property
    def linear_features(self) -> int:
        """Inputs and outputs of all linears: four of the attention, two or three of the MLP."""
        mlp = self.mlp_linears * (self.hidden + self.intermediate)
        return self.layers * (8 * self.hidden + mlp)

    def patches(self, resolution: int) -> int:
        """Patches of one square picture of `resolution` pixels a side, as the tower sees them."""
        cell = self.patch * self.merge
        if self.rule == "native":
            pixels = min(max(resolution * resolution, self.min_pixels), self.max_pixels)
            side = max(1, round(math.sqrt(pixels) / cell))
            return (side * self.merge) ** 2
        per_tile = (self.tile // self.patch) ** 2
        if self.rule == "fixed":
            return per_tile
        side = -(-resolution // self.tile)
        tiles = min(side * side, self.most_tiles)
        return per_tile * (tiles + 1 if tiles > 1 else tiles)

    def tokens(self, patches: int) -> int:
        """Tokens of the language model's sequence that so many patches take."""
        return patches // (self.merge * self.merge) if self.in_sequence else 0


@cache
def _towers() -> dict[str, Tower]:
    found = {}
    for row in read_rows("planner.models", "vision_towers.csv"):
        fields: dict[str, object] = {
            name: row[name] if name in ("code", "rule") else int(row[name] or 0)
            for name in Tower._fields
            if name != "in_sequence"
        }
        tower = Tower(in_sequence=row["in_sequence"] == "y", **fields)  # type: ignore[arg-type]  # columns are checked by a test
        found.update(dict.fromkeys(row["models"].split(";"), tower))
    return found


def tower_of(architecture: Architecture) -> Tower | None:
    """The vision tower of a model; None where it has none, or none Muat knows."""
    return _towers().get(architecture.hf_id)
