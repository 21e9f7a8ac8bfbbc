"""The linear model over features: what topic a text is about, and how surely.

One row of weights for each topic, one for everything else; a softmax over the rows is the
confidence. The weights are a file, quantised to one byte each, that `bench/faq.py --write` makes
from the phrasings.
"""

import base64
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from bot.faq.features import features, is_about
from bot.faq.phrasings import OUT_OF_SCOPE

WEIGHTS_FILE = "weights.json"


class Guess(NamedTuple):
    """The likeliest topic, how likely it is (0 to 1), how likely it is that none is meant, and
    whether a word of the text has no everyday meaning.
    """

    topic: str
    confidence: float
    outside: float
    anchored: bool


class Linear(NamedTuple):
    """Weights by bucket, one for each of `labels`; `phrasings` is the digest they were made
    from.
    """

    labels: tuple[str, ...]
    weights: Mapping[int, Sequence[float]]
    bias: Sequence[float]
    phrasings: str

    def shares(self, text: str) -> list[float]:
        """How likely each label is, summing to one."""
        scores = list(self.bias)
        for bucket, value in features(text).items():
            for at, weight in enumerate(self.weights.get(bucket, ())):
                scores[at] += value * weight
        top = max(scores)
        raised = [math.exp(score - top) for score in scores]
        total = sum(raised)
        return [one / total for one in raised]

    def guess(self, text: str) -> Guess:
        """The likeliest topic of `text`."""
        shares = dict(zip(self.labels, self.shares(text), strict=True))
        outside = shares.pop(OUT_OF_SCOPE)
        topic = max(shares, key=lambda name: shares[name])
        return Guess(topic, shares[topic], outside, is_about(text, "anchor"))


def packed(model: Linear) -> str:
    """`model` as the text of its file."""
    peak = max(abs(one) for row in model.weights.values() for one in row) or 1.0
    scale = peak / 127
    buckets = sorted(model.weights)
    raw = bytes(round(one / scale) & 0xFF for at in buckets for one in model.weights[at])
    return json.dumps(
        {
            "phrasings": model.phrasings,
            "labels": model.labels,
            "scale": scale,
            "bias": [round(one, 5) for one in model.bias],
            "buckets": buckets,
            "weights": base64.b64encode(zlib.compress(raw, 9)).decode(),
        }
    )


@cache
def shipped() -> Linear:
    """The model of the weights file."""
    text = (files("bot.faq") / "data" / WEIGHTS_FILE).read_text(encoding="utf-8")
    held = json.loads(text)
    raw = zlib.decompress(base64.b64decode(held["weights"]))
    signed = memoryview(raw).cast("b")
    wide, scale = len(held["labels"]), held["scale"]
    weights = {
        bucket: [one * scale for one in signed[at * wide : (at + 1) * wide]]
        for at, bucket in enumerate(held["buckets"])
    }
    return Linear(tuple(held["labels"]), weights, held["bias"], held["phrasings"])
