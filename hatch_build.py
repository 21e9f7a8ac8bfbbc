"""Compiles the gettext catalogs before a wheel or an editable install is made."""

from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileTranslations(BuildHookInterface):
    """Writes one .mo beside every .po, so that words never lag behind their source."""

    def initialize(self, version, build_data):
        for source in sorted(Path(self.root, "templates", "locale").rglob("*.po")):
            with source.open("rb") as po, source.with_suffix(".mo").open("wb") as mo:
                write_mo(mo, read_po(po))
