"""`muat`: start the command line with as little imported as the command needs."""

import os
import sys


def main() -> None:
    """Run the command line and leave with its exit status."""
    # Looking for pydantic plugins reads the metadata of every installed distribution: a third of
    # the start-up.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    import gc

    gc.disable()
    from bot.cli import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
