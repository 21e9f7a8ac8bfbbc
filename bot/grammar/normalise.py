"""One plain form of what people paste: quotes, dashes, links, mentions, invisible characters."""

import html
import re
import unicodedata

#: A message longer than this is cut, and the reading says so.
LONGEST_TEXT = 2000

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»″", '"'),
        **dict.fromkeys("‘’‚‛′´", "'"),
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        **dict.fromkeys("×✕✖⨯", "x"),
        **dict.fromkeys("`•·…", " "),
        "≤": "<",
    }
)
_SLACK_LINK = re.compile(r"<(https?://[^<>|\s]+)(?:\|[^<>]*)?>")
_MENTION = re.compile(r"<[@#!][^<>]{0,80}>|(?<!\S)@[\w.-]+")
_EMOJI = re.compile(r"(?<!\S):[a-z0-9_+-]{1,40}:(?!\S)")
_MODEL_URL = re.compile(
    r"(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/(?:models/)?([\w.-]+/[\w.-]+)\S*", re.I
)
_EQUALS = re.compile(r"[<>!]?\s?=\s?")
_BREAK = re.compile(r"[;|]")
_COMMA = re.compile(r"(?<=[^\d\s=]),(?=\S)|(?<=\d),(?!\d)|(?<=\d{4}),(?=\d{3})")
_NEXT_KEY = re.compile(r",(?=[A-Za-z][\w-]*=)")
_MEMORY = re.compile(r"(?<=\d)\s+(?=(?:gb|gib)\b)", re.I)
_SPACES = re.compile(r"\s+")


def normalise(text: str) -> str:
    """`text` in ordinary characters, links to models as their ids, without mentions and emoji."""
    plain = unicodedata.normalize("NFKC", html.unescape(text[:LONGEST_TEXT]).translate(_PLAIN))
    plain = plain.translate(_PLAIN)
    plain = "".join(" " if _is_space(character) else character for character in plain)
    plain = "".join(character for character in plain if not _is_noise(character))
    plain = _SLACK_LINK.sub(r" \1 ", plain)
    plain = _MENTION.sub(" ", plain)
    plain = _EMOJI.sub(" ", plain)
    plain = _MODEL_URL.sub(r" \1 ", plain)
    plain = _EQUALS.sub("=", plain)
    plain = _NEXT_KEY.sub(", ", _BREAK.sub(", ", plain))
    plain = " ".join(word if "=" in word else spaced(word) for word in plain.split(" "))
    plain = _MEMORY.sub("", plain)
    return _SPACES.sub(" ", plain).strip()[:LONGEST_TEXT]


def spaced(text: str) -> str:
    """`text` with a space behind every comma that is not part of a number."""
    return _COMMA.sub(", ", text)


def _is_space(character: str) -> bool:
    """Line breaks and symbols such as emoji separate words; currency signs do not."""
    return character.isspace() or unicodedata.category(character) in {"So", "Cc"}


def _is_noise(character: str) -> bool:
    """Zero-width and other formatting characters, lone surrogates, variation selectors."""
    return unicodedata.category(character) in {"Cf", "Cs", "Co", "Mn"}
