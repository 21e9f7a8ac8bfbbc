"""A progress bar on stderr for long work; nothing where nobody looks on."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bot.machine import Output


@contextmanager
def bar(out: Output) -> Iterator[Callable[[str, int, int], None]]:
    """Calls with what is worked on, how much is done and of how much; drawn on a terminal."""
    if out.json or not sys.stderr.isatty():
        yield lambda name, done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task("", total=None)
        yield lambda name, done, total: drawn.update(
            task, description=name, completed=done, total=total
        )
