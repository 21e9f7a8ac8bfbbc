"""`muat catalog ...` and `muat digest preview`, from lists on disk to answers."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bot.cli import run

HEAD = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region"
OLDER = (
    "1H100.80S,H100,1,32,185,2.99,1.10,FIN-01\n"
    "8H100.80S,H100,8,176,1480,23.92,8.80,FIN-01\n"
    "1A100.22V,A100-80GB,1,22,120,1.49,,FIN-01\n"
    "bad,H100,0.5,1,1,1,,FIN-01\n"
)
NEWER = (
    "1H100.80S,H100,1,32,185,2.29,0.80,FIN-01\n"
    "8H100.80S,H100,8,176,1480,23.92,8.80,FIN-01\n"
    "1H200.141S,H200,1,44,182,3.03,0.94,FIN-01\n"
)


class Folder:
    """A catalog of its own, and lists to read into it."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path = path
        self._capsys = capsys

    def asks(self, *words: str, status: int = 0, catalog: str = "catalog.sqlite") -> str:
        command = [*words, "--catalog", str(self.path / catalog)]
        assert run(command) == status
        return self._capsys.readouterr().out

    def json(self, *words: str, catalog: str = "catalog.sqlite") -> Any:
        found = json.loads(self.asks(*words, "--json", catalog=catalog))
        name = "-".join(words[:2]).replace("import", "refresh")
        assert run(["schema", name]) == 0
        jsonschema.validate(found, json.loads(self._capsys.readouterr().out))
        return found

    def holds(self, name: str, rows: str) -> str:
        (self.path / name).write_text(f"{HEAD}\n{rows}", encoding="utf-8")
        return str(self.path / name)


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Folder:
    return Folder(tmp_path, capsys)


def test_a_list_is_imported_and_says_how_it_fared(folder: Folder) -> None:
    found = folder.json("catalog", "import", folder.holds("verda_vms.csv", OLDER))
    (source,) = found["sources"]
    assert (source["name"], source["status"]) == ("skypilot:verda", "read")
    assert (source["rows_read"], source["offers"], source["quarantined"]) == (4, 3, 1)
    assert (found["offers"], found["changed_prices"]) == (3, 5)
    (aside,) = folder.json("catalog", "quarantine")["rows"]
    assert (aside["line"], aside["instance_type"]) == (4, "bad")
    assert "0.5" in aside["reason"]


def test_what_is_imported_is_planned_with(folder: Folder) -> None:
    folder.asks("catalog", "import", folder.holds("verda_vms.csv", NEWER))
    plan = json.loads(folder.asks("fit", "llama-8b lora", "--json"))
    assert {option["provider"] for option in plan["options"]} == {"Verda"}
    assert plan["catalog"]["freshness"] != "sample"


def test_the_history_tells_what_a_price_was_and_is(folder: Folder) -> None:
    place = folder.holds("verda_vms.csv", OLDER)
    folder.asks("catalog", "import", place)
    folder.holds("verda_vms.csv", NEWER)
    folder.asks("catalog", "import", place)
    spans = folder.json("catalog", "history", "h100")["spans"]
    one = [s for s in spans if s["gpu_count"] == 1 and s["market"] == "on_demand"]
    assert [(s["usd_per_hour"], s["is_current"]) for s in one] == [(2.99, False), (2.29, True)]
    eight = [s for s in spans if s["gpu_count"] == 8 and s["market"] == "on_demand"]
    assert [(s["usd_per_hour"], s["is_current"]) for s in eight] == [(23.92, True)]
    assert folder.asks("prices", "h100", "--history").count("\n") == len(spans)


def test_a_digest_says_what_moved(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    folder.asks("catalog", "import", folder.holds("verda_vms.csv", OLDER), catalog="old.sqlite")
    folder.asks("catalog", "import", folder.holds("verda_vms.csv", NEWER), catalog="new.sqlite")
    ends = ["--from", str(folder.path / "old.sqlite"), "--to", str(folder.path / "new.sqlite")]
    assert run(["digest", "preview", *ends, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {(m["machine"]["market"], m["new_usd_per_hour"]) for m in found["moves"]} == {
        ("on_demand", 2.29),
        ("spot", 0.80),
    }
    assert [one["machine"]["gpu"] for one in found["vanished"]] == ["A100-SXM4-80GB"]
    assert {one["gpu"] for one in found["new_lows"]} == {"H100-SXM5", "H200-SXM"}
    for language in ("en", "id"):
        assert run(["digest", "preview", *ends, "--lang", language]) == 0
        assert "$2.29" in capsys.readouterr().out.replace(",", ".")
    assert run(["digest", "preview", "--from", ends[1], "--to", ends[1]]) == 0
    assert capsys.readouterr().out == "Nothing moved.\n"


def test_every_command_has_words_in_both_languages(
    folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.asks("catalog", "import", folder.holds("verda_vms.csv", OLDER))
    for words in (["show"], ["sources"], ["quarantine"], ["history", "a100"]):
        for language in ("en", "id"):
            assert folder.asks("catalog", *words, "--lang", language).strip()
    assert folder.json("catalog", "show")["offers_by_gpu"] == {"A100-SXM4-80GB": 1, "H100-SXM5": 2}
    assert run(["catalog", "template"]) == 0
    assert "on_demand_usd_per_hour" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["catalog", "import", "nowhere.csv"], 2),
        (["catalog", "history", "h100"], 1),
        (["catalog", "history", "h1000"], 2),
        (["catalog", "quarantine", "--lang", "xx"], 2),
    ],
)
def test_mistakes_are_one_sentence(
    folder: Folder, words: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*words, "--catalog", str(folder.path / "catalog.sqlite")]
    assert run(command) == status
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1


def test_a_refresh_without_a_network_keeps_the_sample_and_says_why(folder: Folder) -> None:
    found = folder.json("catalog", "refresh")
    statuses = {one["name"]: one["status"] for one in found["sources"]}
    assert statuses.pop("bundled") == "read"
    assert set(statuses.values()) == {"skipped"}
    assert all(one["note"] for one in found["sources"] if one["status"] == "skipped")
