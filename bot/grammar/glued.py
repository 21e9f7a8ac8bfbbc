"""Words typed as one: "8xA100", "bs8", "seq1k", "<$40", "$2/hr", "lora/qlora"."""

import re

from bot.grammar.lexicon import fold, phrases_of

_COUNT = re.compile(r"^(\d{1,3})[xX*](?=[a-zA-Z\d])(?!\d+(?:\.\d+)?[bB](?![a-zA-Z\d]))(.+)$")
_RESOLUTION = re.compile(r"^\d{3,4}[xX]\d{3,4}$")
_BELOW = re.compile(r"^(<)([^\d\s]{0,4}\d.*)$")
_QUANTITY = re.compile(r"^([a-zA-Z_]{2,})(\d[\d.,]*[kKmM]?)$")


def split_word(raw: str) -> tuple[str, ...]:
    """The words in one run of characters; "8x7b" (a model) and "512x512" (pixels) stay whole."""
    if _RESOLUTION.match(raw):
        return (raw,)
    count = _COUNT.match(raw)
    if count:
        return (f"{count[1]}x", count[2])
    below = _BELOW.match(raw)
    if below:
        return (below[1], below[2])
    quantity = _QUANTITY.match(raw)
    if quantity and fold(quantity[1]) in phrases_of("before"):
        return (quantity[1], quantity[2])
    return (raw,)
