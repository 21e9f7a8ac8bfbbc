"""The link that adds Muat to a server: what it must be allowed there, and nothing more."""

import base64
import binascii
import json
import sys

from discord import Permissions
from discord.utils import oauth_url

from bot.settings import deployment
from planner.errors import BadInput

#: Answering a mention needs these in the channel; a slash command needs none of them.
PERMISSIONS = Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    read_message_history=True,
    attach_files=True,
)


def invite_link(token: str | None) -> str:
    """The link for the application whose bot has this token; BadInput where it is no bot's."""
    if not token:
        raise BadInput("discord.missing_token")
    return oauth_url(
        _application_id(token),
        permissions=PERMISSIONS,
        scopes=("bot", "applications.commands"),
    )


def say_invite(as_json: bool) -> None:
    """Write the link for the token that is set."""
    token = deployment().discord_token
    link = invite_link(token.get_secret_value() if token else None)
    sys.stdout.write((json.dumps({"url": link}) if as_json else link) + "\n")


def _application_id(token: str) -> int:
    """A bot's token begins with its application's id in base64, so no request is needed."""
    head = token.partition(".")[0]
    try:
        return int(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (binascii.Error, ValueError):
        raise BadInput("discord.token_unreadable") from None
