"""Building the catalog: whole or not at all, also when two processes start at once."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from planner.catalog.build import write_catalog
from planner.catalog.offer import Offer
from planner.catalog.rows import COLUMNS
from planner.catalog.store import open_catalog

FIRST_USE = """
import sys
from pathlib import Path
from planner.catalog.store import open_catalog

sys.stdin.readline()
print(len(open_catalog(cache_folder=Path(sys.argv[1])).offers()))
"""


def test_two_first_uses_at_once_both_end_whole(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FIRST_USE, str(tmp_path)]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=60)[0].strip() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert outputs[0] == outputs[1] != "0"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_build_that_fails_leaves_the_old_catalog_and_nothing_else(
    tmp_path: Path, offer: Callable[..., Offer]
) -> None:
    def broken() -> Iterator[Offer]:
        yield offer(instance_type="new")
        raise RuntimeError("the feed broke off")

    path = tmp_path / "catalog.sqlite"
    write_catalog([offer(instance_type="old")], path)
    with pytest.raises(RuntimeError):
        write_catalog(broken(), path)
    catalog = open_catalog(path)
    assert [one.instance_type for one in catalog.offers()] == ["old"]
    catalog.close()
    assert list(tmp_path.iterdir()) == [path]


def test_every_field_of_an_offer_is_stored(offer: Callable[..., Offer], tmp_path: Path) -> None:
    full = offer(note="a note", spot_usd_per_hour=0.5, sold_out=True, is_sample=True)
    assert tuple(COLUMNS) == Offer._fields
    write_catalog([full], tmp_path / "catalog.sqlite")
    catalog = open_catalog(tmp_path / "catalog.sqlite")
    assert catalog.offers() == (full,)
    catalog.close()
