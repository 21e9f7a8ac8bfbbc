"""Compiles the gettext catalogs before a wheel or an editable install is made."""

import os
from io import BytesIO
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileTranslations(BuildHookInterface):
    """Writes one .mo beside every .po, so that words never lag behind their source."""

    def initialize(self, version, build_data):
        for source in sorted(Path(self.root, "templates", "locale").rglob("*.po")):
            compiled = BytesIO()
            with source.open("rb") as po:
                write_mo(compiled, read_po(po))
            replace(source.with_suffix(".mo"), compiled.getvalue())


def replace(target, content):
    """Write whole or not at all: another process may be reading the old file."""
    if target.exists() and target.read_bytes() == content:
        return
    waiting = target.with_suffix(f".{os.getpid()}.tmp")
    waiting.write_bytes(content)
    waiting.replace(target)
