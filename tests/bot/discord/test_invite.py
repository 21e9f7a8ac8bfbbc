"""muat discord invite: the link that adds the bot."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from discord import Permissions

from bot.cli import run
from bot.discord.invite import invite_link
from planner.errors import BadInput

# As Discord makes them: the application's id in base64, a time, a signature.
TOKEN = "MTAwMDAwMDAwMDAwMDAwMDAx.Gabcde.x" + "y" * 37
Captured = pytest.CaptureFixture[str]


def test_the_link_names_the_application_and_asks_for_little() -> None:
    link = urlsplit(invite_link(TOKEN))
    asked = parse_qs(link.query)
    assert (link.scheme, link.netloc) == ("https", "discord.com")
    assert asked["client_id"] == ["100000000000000001"]
    assert asked["scope"][0].split() == ["bot", "applications.commands"]
    granted = Permissions(int(asked["permissions"][0]))
    assert granted.send_messages
    assert not granted.administrator
    assert not granted.mention_everyone
    assert not granted.manage_guild


@pytest.mark.parametrize(
    ("token", "code"), [(None, "missing_token"), ("", "missing_token"), ("zzz", "token_unreadable")]
)
def test_without_a_usable_token_it_says_so(token: str | None, code: str) -> None:
    with pytest.raises(BadInput) as caught:
        invite_link(token)
    assert caught.value.note.code == f"discord.{code}"


@pytest.mark.usefixtures("empty_folder")
def test_the_command_prints_the_link(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("MUAT_DISCORD_TOKEN", TOKEN)
    assert run(["discord", "invite"]) == 0
    printed = capsys.readouterr().out.strip()
    assert printed == invite_link(TOKEN)
    assert TOKEN not in printed
    assert run(["discord", "invite", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"url": printed}


@pytest.mark.usefixtures("empty_folder")
def test_without_a_token_the_process_and_the_link_end_alike(capsys: Captured) -> None:
    for arguments in (["discord"], ["discord", "invite"]):
        assert run(arguments) == 2
        assert "MUAT_DISCORD_TOKEN" in capsys.readouterr().err
