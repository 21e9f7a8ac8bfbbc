"""One sanitiser for every outgoing text: what people typed can neither ping nor format."""

import re
import unicodedata

#: Joiners that scripts and emoji need; every other invisible format character goes.
_KEPT_FORMAT_CHARACTERS = "\u200c\u200d"
_DISCORD_MARKS = re.compile(r"([\\`*_~|\[\]<>]|^[#+-])")
_DISCORD_MENTION = re.compile(r"@(?=everyone|here|[!&]?\d)", re.IGNORECASE)
_BREAK = "\u200b"


def clean(text: str) -> str:
    """`text` on one line, without control characters, escape sequences and direction overrides."""
    plain = text if text.isascii() and text.isprintable() else "".join(map(_cleaned, text))
    return " ".join(plain.split())


def _cleaned(character: str) -> str:
    category = unicodedata.category(character)
    if category in {"Cc", "Cs", "Zl", "Zp"}:
        return " "
    if category == "Cf" and character not in _KEPT_FORMAT_CHARACTERS:
        return ""
    return character


def clip(text: str, length: int) -> str:
    """`text`, cut at a word with an ellipsis where it is longer than `length` characters."""
    if len(text) <= length:
        return text
    head = text[: max(0, length - 1)]
    at_word = head.rsplit(" ", 1)[0].rstrip(" ,.;:")
    return (at_word if len(at_word) > length // 2 else head) + "…"


def mrkdwn(text: str) -> str:
    """Text for Slack's mrkdwn, with the characters escaped that start an entity or a mention."""
    return clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def discord_text(text: str) -> str:
    """Text for Discord's Markdown: marks are escaped and no mention survives."""
    broken = _DISCORD_MENTION.sub("@" + _BREAK, clean(text))
    return _DISCORD_MARKS.sub(r"\\\1", broken)


def code(text: str) -> str:
    """Text for the inside of a code span or block, where nothing but the backtick has a meaning."""
    return clean(text).replace("`", "'")


def code_block(text: str) -> str:
    """Lines for the inside of a code block; none of them can end it."""
    return "\n".join(_indent(line) + code(line) for line in text.splitlines())


def _indent(line: str) -> str:
    return " " * (len(line) - len(line.lstrip(" ")))


def clip_lines(text: str, length: int) -> str:
    """Whole lines of `text`, as many as take no more than `length` characters; "…" for the rest."""
    kept: list[str] = []
    used = 0
    for line in text.splitlines():
        used += len(line) + 1
        if used > length - 2:
            return "\n".join([*kept, "…"])
        kept.append(line)
    return "\n".join(kept)
