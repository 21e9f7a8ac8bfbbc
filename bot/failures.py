"""What the command line says when it cannot answer: one sentence, and the exit status that goes
with it.
"""

import os
import sys
from collections.abc import Callable

import typer

from bot.language import DEFAULT_LANGUAGE, LANGUAGES, Words, words
from planner.errors import Refusal
from planner.notes import note


def explained(run: Callable[[], object], arguments: list[str]) -> int:
    """Run `run` and return the exit status; whatever goes wrong is one sentence on stderr."""
    try:
        status = run()
    except Refusal as refusal:
        return _say(_words(arguments).say(refusal.note), refusal.exit_code)
    except typer.TyperException as error:
        return _say(_usage(error), 2)
    except typer.Abort:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except Exception as error:  # the outer edge of the command line: nobody should read a traceback
        if os.environ.get("MUAT_DEBUG"):
            raise
        broken = note("cli.broken", kind=type(error).__name__)
        return _say(_words(arguments).say(broken), 3)
    return status if isinstance(status, int) else 0


def _say(sentence: str, status: int) -> int:
    sys.stderr.write(sentence + "\n")
    return status


def _usage(error: typer.TyperException) -> str:
    message = getattr(error, "format_message", lambda: str(error))()
    return " ".join(str(message).split())


def _words(arguments: list[str]) -> Words:
    """The language `--lang` names, so that a refusal is said in it too."""
    for position, argument in enumerate(arguments):
        wanted = argument.removeprefix("--lang=")
        if argument == "--lang" and position + 1 < len(arguments):
            wanted = arguments[position + 1]
        for language in LANGUAGES:
            if wanted == language and argument.startswith("--lang"):
                return words(language)
    return words(DEFAULT_LANGUAGE)
