"""A local Discord: the REST endpoints and the gateway of a bot with slash commands, and no more.

It is strict about what it knows (tests/standins/discord_rules.py), refuses the rest, and remembers
every refusal. Its clock stands still until a test moves it.

    async with DiscordStandIn() as discord_server:
        ...  # a client with discord_server.api_url, .gateway_url and .token
        await discord_server.connected()
        interaction = await discord_server.slash("fit", what="llama-70b qlora")
        await interaction.answered()
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, Self

from aiohttp import BodyPartReader, WSMsgType, web

from tests.standins.discord_interaction import (
    CHOICES,
    DEFER,
    DEFER_UPDATE,
    FIRST_RESPONSES,
    MESSAGE,
    MODAL,
    StandInInteraction,
)
from tests.standins.discord_payloads import (
    APPLICATION_ID,
    BOT,
    CHANNEL_ID,
    application_payload,
    message_payload,
    registered_command,
)
from tests.standins.discord_people import DiscordPeople
from tests.standins.discord_rules import (
    COMPONENTS_V2,
    EPHEMERAL,
    SUPPRESS_EMBEDS,
    Refused,
    check_choices,
    check_commands,
    check_message,
    check_modal,
    invalid,
)

PRIVILEGED_INTENTS = 1 << 1 | 1 << 8 | 1 << 15
ALL_INTENTS = (1 << 27) - 1
FIRST_RESPONSE_SECONDS = 3
TOKEN_SECONDS = 15 * 60


class DiscordStandIn(DiscordPeople):
    """A server for one application. Requests, refusals and commands are a test's to read."""

    token = "stand-in-bot-token"

    def __init__(self) -> None:
        #: Whether the portal's switch for the message content intent is on.
        self.grants_message_content = False
        #: What whoever acts may do in the server, as Discord writes it.
        self.permissions = "0"
        self.now = 0.0
        self.refusals: list[str] = []
        self.requests: list[str] = []
        self.commands: list[dict[str, Any]] = []
        self.application: dict[str, Any] = {}
        self.identifies: list[dict[str, Any]] = []
        self.resumes = 0
        self.interactions: dict[str, StandInInteraction] = {}
        self.posts: list[dict[str, Any]] = []
        self.posted = asyncio.Event()
        self._refuse: dict[str, Refused] = {}
        self._limited: dict[str, float] = {}
        self._files: dict[str, bytes] = {}
        self._sockets: list[web.WebSocketResponse] = []
        self._events: list[dict[str, Any]] = []
        self._session_ready = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self._port = 0

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/gateway/", self._gateway)
        app.router.add_route("*", "/api/v10/{path:.*}", self._rest)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        for socket in self._sockets:
            await socket.close()
        if self._runner:
            await self._runner.cleanup()

    @property
    def api_url(self) -> str:
        """What MUAT_DISCORD_API_URL takes."""
        return f"http://127.0.0.1:{self._port}/api/v10"

    @property
    def gateway_url(self) -> str:
        """What MUAT_DISCORD_GATEWAY_URL takes."""
        return f"ws://127.0.0.1:{self._port}/gateway/"

    def expect_connection(self) -> None:
        """From here on `connected` waits for a session that is yet to begin."""
        self._session_ready.clear()

    async def connected(self) -> None:
        """Return when a client has identified or resumed."""
        await asyncio.wait_for(self._session_ready.wait(), 10)

    async def reconnect(self) -> None:
        """Ask the client to come back, as Discord does when it moves gateways."""
        self.expect_connection()
        await self._sockets[-1].send_json({"op": 7, "d": None})

    def refuse(self, request: str, status: int, code: int, message: str) -> None:
        """Answer the next `request` ("METHOD path") with this error."""
        self._refuse[request] = Refused(status, code, message)

    def limit_rate(self, request: str, seconds: float) -> None:
        """Answer the next `request` with 429 and the time to wait."""
        self._limited[request] = seconds

    # REST

    async def _rest(self, request: web.Request) -> web.Response:
        path, method = request.match_info["path"], request.method
        self.requests.append(f"{method} {path}")
        try:
            if refusal := self._refuse.pop(f"{method} {path}", None):
                raise refusal
            if (seconds := self._limited.pop(f"{method} {path}", None)) is not None:
                return self._wait(seconds)
            body, self._files = await _body(request)
            return self._json(self._route(request, path.split("/"))(body))
        except Refused as refusal:
            self.refusals.append(f"{method} {path}: {refusal}")
            answer = {"code": refusal.code, "message": refusal.message}
            return self._json(answer, refusal.status)

    @staticmethod
    def _json(answer: Any, status: int = 200) -> web.Response:
        # discord.py reads JSON only from this exact content type, without a charset.
        headers = {"Content-Type": "application/json"}
        return web.Response(body=json.dumps(answer).encode(), status=status, headers=headers)

    def _wait(self, seconds: float) -> web.Response:
        answer = self._json({"message": "limited", "retry_after": seconds, "global": False}, 429)
        answer.headers.update({"Retry-After": str(seconds), "Via": "1.1 google"})
        return answer

    def _route(self, request: web.Request, path: list[str]) -> Callable[[Any], Any]:
        match request.method, path:
            case "POST", ["interactions", number, token, "callback"]:
                return lambda body: self._first_response(number, token, body)
            case "PATCH", ["webhooks", application, token, "messages", "@original"]:
                return lambda body: self._edit(self._open(application, token), body)
            case "POST", ["webhooks", application, token]:
                return lambda body: self._follow_up(self._open(application, token), body)
        if request.headers.get("Authorization") != f"Bot {self.token}":
            raise Refused(401, 0, "401: Unauthorized")
        match request.method, path:
            case "GET", ["users", "@me"]:
                return lambda _: BOT
            case "GET", ["oauth2", "applications", "@me"]:
                return lambda _: application_payload()
            case "GET", ["applications", "@me"]:
                return lambda _: application_payload() | self.application
            case "GET", ["gateway", "bot"]:
                return lambda _: self._gateway_bot()
            case "GET", ["applications", "100000000000000001", "commands"]:
                localised = request.query.get("with_localizations") == "true"
                return lambda _: [
                    registered_command(command, localised) for command in self.commands
                ]
            case "POST", ["channels", channel, "messages"] if channel == CHANNEL_ID:
                return self._post
            case "PUT", ["applications", "100000000000000001", "commands"]:
                return self._write_commands
        raise Refused(404, 0, "404: Not Found")

    def _gateway_bot(self) -> dict[str, Any]:
        limits = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
        return {"url": self.gateway_url, "shards": 1, "session_start_limit": limits}

    def _write_commands(self, commands: list[dict[str, Any]]) -> list[dict[str, Any]]:
        check_commands(commands)
        self.commands = [
            {"description": "", "application_id": APPLICATION_ID, **command, "id": str(number)}
            for number, command in enumerate(commands, 600000000000000000)
        ]
        return self.commands

    def _first_response(self, number: str, token: str, body: dict[str, Any]) -> dict[str, Any]:
        interaction = self.interactions.get(number)
        if interaction is None or interaction.token != token:
            raise Refused(404, 10062, "Unknown interaction")
        if interaction.callback is not None:
            raise Refused(400, 40060, "Interaction has already been acknowledged.")
        if self.now - interaction.begun > FIRST_RESPONSE_SECONDS:
            raise Refused(404, 10062, "Unknown interaction")
        kind, data = body.get("type"), body.get("data") or {}
        if kind not in FIRST_RESPONSES[interaction.kind]:
            raise invalid("type", f"{kind} does not answer this")
        if kind in (DEFER, DEFER_UPDATE):
            if data.get("flags", 0) & ~EPHEMERAL or set(data) - {"flags"}:
                raise invalid("data", "only the flag EPHEMERAL when deferring")
        elif kind == MESSAGE:
            check_message(data, EPHEMERAL | SUPPRESS_EMBEDS | COMPONENTS_V2, self._files)
        elif kind == CHOICES:
            check_choices(data)
        elif kind == MODAL:
            check_modal(data)
        interaction.acknowledge(body)
        if kind == MESSAGE:
            interaction.show(data)
        answer: dict[str, Any] = {"interaction": {"id": number, "type": interaction.kind}}
        if kind in (MESSAGE, DEFER):
            answer["resource"] = {"type": kind, "message": message_payload(number, data)}
        return answer

    def _open(self, application: str, token: str) -> StandInInteraction:
        found = (i for i in self.interactions.values() if i.token == token)
        interaction = next(found, None)
        if application != APPLICATION_ID or interaction is None or interaction.callback is None:
            raise Refused(404, 10015, "Unknown Webhook")
        if self.now - interaction.begun > TOKEN_SECONDS:
            raise Refused(401, 50027, "Invalid Webhook Token")
        return interaction

    def _edit(self, interaction: StandInInteraction, body: dict[str, Any]) -> dict[str, Any]:
        check_message(body, SUPPRESS_EMBEDS | COMPONENTS_V2, self._files)
        interaction.files.update(self._files)
        interaction.show(body)
        return message_payload(interaction.id, body)

    def _follow_up(self, interaction: StandInInteraction, body: dict[str, Any]) -> dict[str, Any]:
        check_message(body, EPHEMERAL | SUPPRESS_EMBEDS | COMPONENTS_V2, self._files)
        interaction.files.update(self._files)
        interaction.follow_up(body)
        return message_payload(interaction.id, body)

    def _post(self, body: dict[str, Any]) -> dict[str, Any]:
        check_message(body, SUPPRESS_EMBEDS | COMPONENTS_V2, self._files)
        self.posts.append(body)
        self.posted.set()
        return message_payload(str(900000000000000000 + len(self.posts)), body)

    # gateway

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        if request.query.get("v") != "10" or request.query.get("encoding") != "json":
            await socket.close(code=4012)
            return socket
        self._sockets.append(socket)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": 41250}})
        async for frame in socket:
            if frame.type is WSMsgType.TEXT:
                await self._frame(socket, frame.data)
        return socket

    async def _frame(self, socket: web.WebSocketResponse, text: str) -> None:
        if len(text.encode()) > 4096:
            await self._hang_up(socket, 4002, "payload larger than 4096 bytes")
            return
        frame = json.loads(text)
        handlers: dict[int, Callable[..., Awaitable[None]]] = {
            1: self._heartbeat,
            2: self._identify,
            6: self._resume,
        }
        handler = handlers.get(frame["op"])
        if handler is None:
            await self._hang_up(socket, 4001, f"unknown op {frame['op']}")
        else:
            await handler(socket, frame["d"])

    async def _heartbeat(self, socket: web.WebSocketResponse, _: Any) -> None:
        await socket.send_json({"op": 11})

    async def _identify(self, socket: web.WebSocketResponse, data: dict[str, Any]) -> None:
        self.identifies.append(data)
        if data["token"] != self.token:
            await self._hang_up(socket, 4004, "authentication failed")
        elif data["intents"] & ~ALL_INTENTS:
            await self._hang_up(socket, 4013, "invalid intents")
        elif data["intents"] & PRIVILEGED_INTENTS and not self.grants_message_content:
            await self._hang_up(socket, 4014, "disallowed intents")
        else:
            self._events = []
            ready = {
                "v": 10, "user": BOT, "guilds": [], "session_id": f"s{len(self.identifies)}",
                "resume_gateway_url": self.gateway_url, "shard": data.get("shard", [0, 1]),
                "application": {"id": APPLICATION_ID, "flags": 0},
            }  # fmt: skip
            await self._dispatch("READY", ready)
            self._session_ready.set()

    async def _resume(self, socket: web.WebSocketResponse, data: dict[str, Any]) -> None:
        if data["token"] != self.token:
            await self._hang_up(socket, 4004, "authentication failed")
            return
        if data["session_id"] != f"s{len(self.identifies)}":
            await socket.send_json({"op": 9, "d": False})
            return
        self.resumes += 1
        for event in self._events[data["seq"] :]:
            await socket.send_json(event)
        await self._dispatch("RESUMED", {})
        self._session_ready.set()

    async def _dispatch(self, event: str, data: dict[str, Any]) -> None:
        """Send an event; one that finds no connection waits for the resumption."""
        frame = {"op": 0, "t": event, "s": len(self._events) + 1, "d": data}
        self._events.append(frame)
        if not self._sockets[-1].closed:
            await self._sockets[-1].send_json(frame)

    async def _hang_up(self, socket: web.WebSocketResponse, code: int, why: str) -> None:
        self.refusals.append(f"gateway: {code} {why}")
        await socket.close(code=code)


async def _body(request: web.Request) -> tuple[Any, dict[str, bytes]]:
    """The JSON of a request and the files beside it, by name."""
    if request.content_type != "multipart/form-data":
        return _read(request.content_type, await request.read()), {}
    body, uploaded = None, {}
    async for part in await request.multipart():
        assert isinstance(part, BodyPartReader)
        if part.name == "payload_json":
            body = json.loads(await part.read())
        else:
            uploaded[str(part.filename)] = bytes(await part.read())
    return body, uploaded


def _read(content_type: str, raw: bytes) -> Any:
    if not raw:
        return None
    try:
        if content_type != "application/json":
            raise ValueError(content_type)
        return json.loads(raw)
    except ValueError:
        raise Refused(400, 50109, "The request body contains invalid JSON.") from None
