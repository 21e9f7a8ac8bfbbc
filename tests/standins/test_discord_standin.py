"""The local Discord refuses what Discord refuses, and remembers it."""

from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from tests.standins.discord import DiscordStandIn, StandInInteraction
from tests.standins.discord_rules import (
    COMPONENTS_V2,
    EPHEMERAL,
    Refused,
    check_choices,
    check_commands,
    check_message,
    check_modal,
)

TEXT = {"type": 10, "content": "text"}
LINE = {"type": 14}


def v2(*components: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"flags": COMPONENTS_V2, "components": list(components), **fields}


def box(*children: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"type": 17, "components": list(children), **fields}


def button(**fields: Any) -> dict[str, Any]:
    return {"type": 2, "style": 1, "custom_id": "a", "label": "Go", **fields}


def row(*buttons: dict[str, Any]) -> dict[str, Any]:
    return {"type": 1, "components": list(buttons)}


SECTION = {"type": 9, "components": [TEXT], "accessory": button()}

ACCEPTED = {
    "text only": {"content": "hello"},
    "a card": v2(box(TEXT, LINE, TEXT, accent_color=0xFFFFFF)),
    "forty components": v2(box(*[TEXT] * 39)),
    "four thousand characters": v2({"type": 10, "content": "x" * 4000}),
    "a section": v2(SECTION),
    "buttons": v2(row(*[button(custom_id=str(n)) for n in range(5)])),
    "no mentions": v2(TEXT, allowed_mentions={"parse": []}),
}

REFUSED = {
    "nothing": {},
    "blank": {"content": "  "},
    "long content": {"content": "x" * 2001},
    "components without the flag": {"components": [TEXT]},
    "content beside components": v2(TEXT, content="hello"),
    "embeds beside components": v2(TEXT, embeds=[{}]),
    "forty-one components": v2(box(*[TEXT] * 40)),
    "nested ones count": v2(*[box(TEXT)] * 21),
    "4001 characters in one": v2({"type": 10, "content": "x" * 4001}),
    "4001 characters in all": v2(*[{"type": 10, "content": "x" * 2001}] * 2),
    "empty text": v2({"type": 10, "content": ""}),
    "unknown type": v2({"type": 99}),
    "unknown field": v2({**TEXT, "colour": 1}),
    "unknown field of the message": {"content": "x", "priority": 1},
    "empty container": v2(box()),
    "container in container": v2(box(box(TEXT))),
    "colour out of range": v2(box(TEXT, accent_color=0x1000000)),
    "section without accessory": v2({"type": 9, "components": [TEXT]}),
    "section with four texts": v2({**SECTION, "components": [TEXT] * 4}),
    "bare button": v2(button()),
    "six buttons": v2(row(*[button(custom_id=str(n)) for n in range(6)])),
    "same custom_id twice": v2(row(button(), button())),
    "long custom_id": v2(row(button(custom_id="x" * 101))),
    "long label": v2(row(button(label="x" * 81))),
    "spacing": v2({"type": 14, "spacing": 3}),
    "mentions of dogs": v2(TEXT, allowed_mentions={"parse": ["dogs"]}),
    "a file that is not attached": v2(TEXT, {"type": 13, "file": {"url": "attachment://a.txt"}}),
    "a file from elsewhere": v2({"type": 13, "file": {"url": "https://example.org/a.txt"}}),
    "ephemeral on an edit": v2(TEXT) | {"flags": COMPONENTS_V2 | EPHEMERAL},
}


@pytest.mark.parametrize("message", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_messages_within_the_limits_pass(message: dict[str, Any]) -> None:
    check_message(message, allowed_flags=COMPONENTS_V2)


@pytest.mark.parametrize("message", REFUSED.values(), ids=REFUSED.keys())
def test_messages_beyond_a_limit_are_refused(message: dict[str, Any]) -> None:
    with pytest.raises(Refused) as caught:
        check_message(message, allowed_flags=COMPONENTS_V2)
    assert caught.value.status == 400
    assert caught.value.code in (50006, 50035)


def command(name: str = "fit", **fields: Any) -> dict[str, Any]:
    return {"name": name, "description": "Will it fit?", **fields}


BAD_COMMANDS = {
    "upper case": [command("Fit")],
    "a space": [command("fit it")],
    "33 characters": [command("x" * 33)],
    "101 characters of description": [command(description="x" * 101)],
    "no description": [command(description="")],
    "twice": [command(), command()],
    "localised too long": [command(description_localizations={"id": "x" * 101})],
    "unheard-of locale": [command(name_localizations={"xx": "fit"})],
    "required after optional": [
        command(options=[command("a"), command("b", required=True)]),
    ],
    "26 options": [command(options=[command(f"o{n}") for n in range(26)])],
    "the same name in one language": [
        command("fit", name_localizations={"id": "muat"}),
        command("muat"),
    ],
    "choices beside completion": [
        command(options=[command("a", autocomplete=True, choices=[{"name": "x", "value": "x"}])])
    ],
    "a bad subcommand": [command(options=[command("Sub")])],
    "a described message command": [command("Fit?", type=3)],
    "sixteen message commands": [{"name": f"Fit {n}?", "type": 3} for n in range(16)],
    "101 commands": [command(f"c{n}") for n in range(101)],
}


@pytest.mark.parametrize("commands", BAD_COMMANDS.values(), ids=BAD_COMMANDS.keys())
def test_commands_beyond_a_limit_are_refused(commands: list[dict[str, Any]]) -> None:
    with pytest.raises(Refused):
        check_commands(commands)


def test_commands_within_the_limits_pass() -> None:
    check_commands([command(), command("muat-lagi"), command("ตรวจ")])


def test_a_message_command_has_a_name_of_words() -> None:
    check_commands([{"name": "Will this fit?", "type": 3}])


def test_an_attached_file_may_be_shown() -> None:
    message = v2({"type": 13, "file": {"url": "attachment://a.txt"}})
    check_message(message, COMPONENTS_V2, {"a.txt": b"text"})
    with pytest.raises(Refused, match="too large"):
        check_message(message, COMPONENTS_V2, {"a.txt": b"x" * (10 * 1024 * 1024 + 1)})


@pytest.mark.parametrize(
    "choices",
    [
        [{"name": str(n), "value": str(n)} for n in range(26)],
        [{"name": "x" * 101, "value": "x"}],
        [{"name": "x", "value": "x" * 101}],
        [{"name": "", "value": "x"}],
    ],
)
def test_choices_beyond_a_limit_are_refused(choices: list[dict[str, Any]]) -> None:
    """D109: Discord itself shows nothing then, and says nothing."""
    with pytest.raises(Refused):
        check_choices({"choices": choices})


def form(**fields: Any) -> dict[str, Any]:
    field = {"type": 18, "label": "Question", "component": {"type": 4, "custom_id": "a"}}
    return {"title": "Change", "custom_id": "a", "components": [field], **fields}


BAD_FORMS = {
    "no title": form(title=""),
    "long title": form(title="x" * 46),
    "long custom_id": form(custom_id="x" * 101),
    "no field": form(components=[]),
    "six fields": form(components=form()["components"] * 6),
    "a bare field": form(components=[{"type": 4, "custom_id": "a"}]),
    "long label": form(components=[{**form()["components"][0], "label": "x" * 46}]),
    "a value that is too long": form(
        components=[
            {**form()["components"][0], "component": {"type": 4, "max_length": 2, "value": "abc"}}
        ]
    ),
}


@pytest.mark.parametrize("modal", BAD_FORMS.values(), ids=BAD_FORMS.keys())
def test_forms_beyond_a_limit_are_refused(modal: dict[str, Any]) -> None:
    check_modal(form())
    with pytest.raises(Refused):
        check_modal(modal)


Answer = tuple[int, Any]
Call = Callable[[StandInInteraction], tuple[str, str, Any]]


def callback(body: Any) -> Call:
    return lambda i: ("POST", f"/interactions/{i.id}/{i.token}/callback", body)


def edit(body: Any) -> Call:
    application = "100000000000000001"
    return lambda i: ("PATCH", f"/webhooks/{application}/{i.token}/messages/@original", body)


DEFER = {"type": 5, "data": {"flags": EPHEMERAL}}


async def call(
    server: DiscordStandIn,
    method: str,
    path: str,
    body: Any = None,
    token: str = DiscordStandIn.token,
) -> Answer:
    headers = {"Authorization": f"Bot {token}"}
    async with (
        aiohttp.ClientSession() as session,
        session.request(method, server.api_url + path, json=body, headers=headers) as response,
    ):
        assert response.headers["Content-Type"] == "application/json"
        return response.status, await response.json()


def interaction_in(server: DiscordStandIn) -> StandInInteraction:
    interaction = StandInInteraction(1, 2, server.now)
    server.interactions[interaction.id] = interaction
    return interaction


@pytest.mark.parametrize(
    ("calls", "code"),
    [
        ([callback(DEFER), callback(DEFER)], 40060),
        ([edit(v2(TEXT))], 10015),
        ([callback({"type": 5, "data": {"flags": COMPONENTS_V2}})], 50035),
        ([callback({"type": 1})], 50035),
        ([callback(DEFER), edit(v2(TEXT) | {"flags": EPHEMERAL})], 50035),
    ],
)
async def test_responses_out_of_order_are_refused(calls: list[Call], code: int) -> None:
    async with DiscordStandIn() as server:
        interaction = interaction_in(server)
        answers = [await call(server, *make(interaction)) for make in calls]
    assert [status for status, _ in answers[:-1]] == [200] * (len(calls) - 1)
    assert answers[-1][1]["code"] == code
    assert len(server.refusals) == 1


async def test_the_first_response_has_three_seconds_and_the_token_fifteen_minutes() -> None:
    async with DiscordStandIn() as server:
        interaction = interaction_in(server)
        server.now += 3
        assert (await call(server, *callback(DEFER)(interaction)))[0] == 200
        server.now += 15 * 60 - 3
        assert (await call(server, *edit(v2(TEXT))(interaction)))[0] == 200
        server.now += 1
        assert await call(server, *edit(v2(TEXT))(interaction)) == (
            401,
            {"code": 50027, "message": "Invalid Webhook Token"},
        )
        late = interaction_in(server)
        server.now += 3.1
        assert (await call(server, *callback(DEFER)(late)))[1]["code"] == 10062
    assert interaction.text == "text"
    assert interaction.ephemeral


async def test_what_it_does_not_know_it_refuses() -> None:
    async with DiscordStandIn() as server:
        assert (await call(server, "GET", "/guilds/1"))[0] == 404
        assert (await call(server, "GET", "/gateway/bot"))[1]["url"] == server.gateway_url
        assert (await call(server, "GET", "/users/@me"))[0] == 200
        assert (await call(server, "GET", "/users/@me", token="another"))[0] == 401
    assert server.refusals == [
        "GET guilds/1: 404 0 404: Not Found",
        "GET users/@me: 401 0 401: Unauthorized",
    ]


async def talk(server: DiscordStandIn, *frames: dict[str, Any]) -> tuple[list[Any], int | None]:
    """Frames to the gateway, what it says to them, and the code it hangs up with."""
    heard: list[Any] = []
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(server.gateway_url + "?v=10&encoding=json") as socket,
    ):
        heard.append(await socket.receive_json())
        for frame in frames:
            await socket.send_json(frame)
            answer = await socket.receive()
            if answer.type is not aiohttp.WSMsgType.TEXT:
                return heard, socket.close_code
            heard.append(answer.json())
    return heard, None


def identify(**fields: Any) -> dict[str, Any]:
    return {"op": 2, "d": {"token": DiscordStandIn.token, "intents": 1, **fields}}


async def test_the_gateway_greets_beats_and_gets_ready() -> None:
    async with DiscordStandIn() as server:
        heard, code = await talk(server, {"op": 1, "d": None}, identify())
        await server.connected()
    assert [frame["op"] for frame in heard] == [10, 11, 0]
    assert heard[2]["t"] == "READY"
    assert code is None


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (identify(token="wrong"), 4004),
        (identify(intents=1 << 15), 4014),
        (identify(intents=1 << 40), 4013),
        ({"op": 77, "d": None}, 4001),
        (identify(padding="x" * 5000), 4002),
    ],
)
async def test_the_gateway_hangs_up_as_discord_does(frame: dict[str, Any], code: int) -> None:
    async with DiscordStandIn() as server:
        assert (await talk(server, frame))[1] == code
    assert len(server.refusals) == 1


async def test_a_session_that_is_over_cannot_be_resumed() -> None:
    resume = {"op": 6, "d": {"token": DiscordStandIn.token, "session_id": "gone", "seq": 0}}
    async with DiscordStandIn() as server:
        heard, _ = await talk(server, resume)
    assert heard[1] == {"op": 9, "d": False}
