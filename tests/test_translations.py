"""Every sentence exists in every language, with the same placeholders, and every key the code uses
exists.
"""

import re
import string
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from bot.language import LANGUAGES, templates_folder

ROOT = Path(__file__).parent.parent
DOMAINS = sorted({p.stem for p in (templates_folder() / "locale").rglob("*.po")})
CALL = re.compile(
    r"""(?:\bnote|\bBadInput|\bNotFound|\bRefusal|\bt)\(\s*["']([a-z]+\.[a-z0-9_.]*[a-z0-9])["']"""
)


def entries(language: str, domain: str) -> dict[str, str]:
    path = templates_folder() / "locale" / language / "LC_MESSAGES" / f"{domain}.po"
    with path.open("rb") as file:
        catalog = read_po(file)
    assert not [m for m in catalog if m.fuzzy and m.id], f"{path} has fuzzy entries"
    return {m.id: m.string for m in catalog if m.id}


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def keys_in_the_code() -> dict[str, set[str]]:
    files = [p for top in ("planner", "bot", "templates") for p in (ROOT / top).rglob("*")]
    texts = [p for p in files if p.suffix in {".py", ".j2"} and p.is_file()]
    used: dict[str, set[str]] = {}
    for path in texts:
        for key in CALL.findall(path.read_text(encoding="utf-8")):
            used.setdefault(key, set()).add(str(path.relative_to(ROOT)))
    return used


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_language_says_the_same_things(domain: str) -> None:
    sentences = {language: entries(language, domain) for language in LANGUAGES}
    reference = sentences["en"]
    for language in LANGUAGES:
        assert sentences[language].keys() == reference.keys(), f"{domain}: {language}"
        for key, sentence in sentences[language].items():
            assert sentence.strip(), f"{language} has no words for {key}"
            assert placeholders(sentence) == placeholders(reference[key]), f"{language} {key}"
            assert key.startswith(f"{domain}."), f"{key} lies in the wrong file"


def test_every_key_the_code_names_has_words() -> None:
    known = {key for domain in DOMAINS for key in entries("en", domain)}
    missing = {
        key: where
        for key, where in keys_in_the_code().items()
        if key not in known and not (key.endswith("_") and any(k.startswith(key) for k in known))
    }
    assert not missing
