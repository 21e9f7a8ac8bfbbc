"""Compiled templates kept between runs: compiling one takes longer than filling it."""

from pathlib import Path

from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket
from platformdirs import user_cache_dir


class CompiledTemplates(FileSystemBytecodeCache):
    """Jinja's cache in the user's cache folder; where that cannot be written, nothing is kept."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep one compiled template."""
        try:
            super().dump_bytecode(bucket)
        except OSError:
            return

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fetch one compiled template; Jinja compiles it where that fails."""
        try:
            super().load_bytecode(bucket)
        except OSError:
            return


def compiled_templates() -> CompiledTemplates | None:
    """The cache; None where its folder cannot be made."""
    folder = Path(user_cache_dir("muat")) / "templates"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return None
    return CompiledTemplates(str(folder))
