"""`muat digest list` and `muat digest run`."""

import json

import pytest

from bot.cli import run
from bot.settings import answer_settings, deployment
from bot.store.engine import open_store
from bot.store.subscriptions import pause, subscribe
from tests.bot.digests.test_deliver import NOW, SLOT, WISH


@pytest.fixture
def team(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path / 'team.sqlite'}"
    monkeypatch.setenv("MUAT_DATABASE_URL", url)
    answer_settings.cache_clear()
    deployment.cache_clear()
    yield open_store(url)
    answer_settings.cache_clear()
    deployment.cache_clear()


def test_what_is_due_is_shown_and_stays_due(team, capsys):
    key = subscribe(team, WISH, NOW.replace(hour=0))
    for _ in range(2):
        assert run(["digest", "run", "--at", NOW.isoformat(), "--json"]) == 0
        (due,) = json.loads(capsys.readouterr().out)["due"]
        assert (due["id"], due["slot"], due["body"]["is_first"]) == (key, SLOT, True)
    assert run(["digest", "run", "--at", NOW.isoformat()]) == 0
    assert f"{key} is due for {SLOT}" in capsys.readouterr().out


@pytest.mark.parametrize("typed", ["soon", "2026-12-07T09:00"])
def test_a_time_needs_its_zone(team, capsys, typed):
    assert run(["digest", "run", "--at", typed]) == 2
    assert typed in capsys.readouterr().err


def test_the_list_says_who_is_paused(team, capsys):
    assert run(["digest", "list"]) == 0
    assert capsys.readouterr().out == "No channel has a digest.\n"
    pause(team, subscribe(team, WISH, NOW), "is_archived")
    assert run(["digest", "list", "--lang", "id"]) == 0
    said = capsys.readouterr().out
    assert '"H100"  09:00 Asia/Jakarta  dijeda: is_archived' in said
