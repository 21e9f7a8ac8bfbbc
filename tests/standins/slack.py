"""A local Slack for a real slack-bolt app to talk to: Web API, Socket Mode, response URLs.

Strict: what Slack refuses is refused here under Slack's own error name, and every refusal is
remembered in `refusals`, so that a test can assert there was none.
"""

import asyncio
import json
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType
from typing import Any, Self

from aiohttp import WSMsgType, web
from multidict import CIMultiDict

from tests.standins.slack_rules import Refused, check_input, check_message, pings

BOT_TOKEN = "xoxb-100-200-standin"
APP_TOKEN = "xapp-1-A100-standin"
ACK_SECONDS = 3.0
RESPONSE_URL_USES = 5
RESPONSE_URL_SECONDS = 30 * 60
MOST_SOCKETS = 10
PATIENCE_SECONDS = 20.0
PROXY_VARIABLES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")


@dataclass
class SlashCommand:
    """One command somebody typed, and what the app made of it."""

    envelope_id: str
    response_url: str
    sent_at: float
    sent_on_loop: float
    ack_seconds: float | None = None
    acked: asyncio.Event = field(default_factory=asyncio.Event)
    messages: list[dict[str, Any]] = field(default_factory=list)
    posted: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def acknowledged(self) -> float:
        """Seconds until the ack; fails when none comes in the time Slack allows."""
        async with asyncio.timeout(ACK_SECONDS):
            await self.acked.wait()
        assert self.ack_seconds is not None
        return self.ack_seconds

    async def answer(self, count: int = 1) -> dict[str, Any]:
        """The message with this number, once it is there."""
        async with asyncio.timeout(PATIENCE_SECONDS), self.posted:
            await self.posted.wait_for(lambda: len(self.messages) >= count)
        return self.messages[count - 1]


class SlackStandIn:
    """One workspace, one app and its bot. Use as `async with SlackStandIn() as slack`."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.locales: dict[str, str] = {"U1": "en-US", "U2": "id-ID"}
        self.channels = {"C1", "D1"}
        self.admins = {"U1"}
        self.scopes = {
            "app_mentions:read", "chat:write", "commands", "im:history", "im:read", "im:write",
            "users:read",
        }  # fmt: skip
        self.forms: list[dict[str, Any]] = []
        self.used_triggers: set[str] = set()
        self.triggers_expire = False
        self.posted = asyncio.Condition()
        self._telling: set[asyncio.Task[None]] = set()
        self.calls: Counter[str] = Counter()
        self.refusals: list[str] = []
        self.posts: list[dict[str, Any]] = []
        self.pings: list[str] = []
        self.held: dict[str, asyncio.Event] = {}
        self._clock = clock
        self._faults: dict[str, list[tuple[int, int]]] = {}
        self._commands: dict[str, SlashCommand] = {}
        self._uses: Counter[str] = Counter()
        self._sockets: list[web.WebSocketResponse] = []
        self._tickets: set[str] = set()
        self._sockets_changed = asyncio.Condition()
        self._timers: list[asyncio.TimerHandle] = []
        self._runner: web.AppRunner | None = None
        self._address = ""
        self._proxies: dict[str, str] = {}

    async def __aenter__(self) -> Self:
        # The SDK sends everything through a proxy it finds here, NO_PROXY or not.
        self._proxies = {
            name: os.environ.pop(name) for name in PROXY_VARIABLES if name in os.environ
        }
        app = web.Application()
        app.router.add_route("*", "/api/{method}", self._api)
        app.router.add_get("/link", self._link)
        app.router.add_post("/commands/{envelope_id}", self._response_url)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self._address = f"{host}:{port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        os.environ.update(self._proxies)
        for timer in self._timers:
            timer.cancel()
        for event in self.held.values():
            event.set()
        for socket in list(self._sockets):
            await socket.close()
        assert self._runner is not None
        await self._runner.cleanup()

    @property
    def api_url(self) -> str:
        """What MUAT_SLACK_API_URL is set to."""
        return f"http://{self._address}/api/"

    # What a test makes Slack do

    async def slash(
        self, command: str, text: str, user: str = "U1", channel: str = "C1"
    ) -> SlashCommand:
        """Somebody types a command; the envelope goes to the newest socket."""
        return await self.send(
            "slash_commands",
            lambda sent, number: {
                "token": "verification",
                "team_id": "T1",
                "team_domain": "standin",
                "channel_id": channel,
                "channel_name": "general",
                "user_id": user,
                "user_name": "somebody",
                "command": command,
                "text": escaped(text),
                "api_app_id": "A100",
                "is_enterprise_install": "false",
                "response_url": sent.response_url,
                "trigger_id": f"{number}.100.trigger",
            },
        )

    async def send(
        self, kind: str, payload: Callable[[SlashCommand, int], dict[str, Any]]
    ) -> SlashCommand:
        """An envelope of this kind goes to the newest socket; its ack is awaited."""
        number = len(self._commands) + 1
        envelope_id = f"envelope-{number}"
        sent = SlashCommand(
            envelope_id=envelope_id,
            response_url=f"http://{self._address}/commands/{envelope_id}",
            sent_at=self._clock(),
            sent_on_loop=monotonic(),
        )
        self._commands[envelope_id] = sent
        await self._sockets[-1].send_json(
            {
                "envelope_id": envelope_id,
                "type": kind,
                "accepts_response_payload": kind != "events_api",
                "payload": payload(sent, number),
            }
        )
        loop = asyncio.get_running_loop()
        self._timers.append(loop.call_later(ACK_SECONDS, self._expect_ack, sent))
        return sent

    def fault(self, target: str, status: int, *, retry_after: int = 0, times: int = 1) -> None:
        """The next `times` calls to an API method, or to "response_url", get this HTTP status."""
        self._faults.setdefault(target, []).extend([(status, retry_after)] * times)

    def hold(self, method: str) -> asyncio.Event:
        """Calls to this API method get no response until the event is set."""
        return self.held.setdefault(method, asyncio.Event())

    async def connected(self, sockets: int = 1) -> None:
        """Waits until the app has opened this many sockets over time."""
        async with asyncio.timeout(PATIENCE_SECONDS), self._sockets_changed:
            await self._sockets_changed.wait_for(lambda: self.calls["socket"] >= sockets)

    async def closed(self) -> None:
        """Waits until the app has closed every socket."""
        async with asyncio.timeout(PATIENCE_SECONDS), self._sockets_changed:
            await self._sockets_changed.wait_for(lambda: not self._sockets)

    async def drop(self) -> None:
        """The newest socket goes away without a word."""
        await self._sockets[-1].close()

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Slack asks the app to take a new socket."""
        await self._sockets[-1].send_json({"type": "disconnect", "reason": reason})

    # What the app reaches

    async def _api(self, request: web.Request) -> web.Response:
        method = request.match_info["method"]
        self.calls[method] += 1
        if broken := self._broken(method):
            return broken
        if method in self.held:
            await self.held[method].wait()
        try:
            body = {"ok": True, **await self._call(method, request)}
            scopes = {"x-oauth-scopes": ",".join(sorted(self.scopes))}
            return web.json_response(body, headers=scopes)
        except Refused as refused:
            self._remember(method, refused)
            return web.json_response({"ok": False, "error": refused.error})

    async def _call(self, method: str, request: web.Request) -> dict[str, Any]:
        arguments = await _arguments(request)
        header = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if method == "apps.connections.open":
            if "token" in arguments:
                raise Refused("invalid_arguments", "the token belongs into the header")
            return self._open(header)
        token = header or arguments.get("token", "")
        if token != BOT_TOKEN:
            raise Refused("invalid_auth" if token else "not_authed")
        handlers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "auth.test": self._auth_test,
            "users.info": self._users_info,
            "chat.postMessage": self._post,
            "chat.postEphemeral": self._post_ephemeral,
            "views.open": self._views_open,
        }
        if method not in handlers:
            raise Refused("unknown_method", method)
        return handlers[method](arguments)

    def _open(self, token: str) -> dict[str, Any]:
        if token != APP_TOKEN:
            kind = "not_allowed_token_type" if token.startswith("xoxb") else "invalid_auth"
            raise Refused(kind if token else "not_authed")
        ticket = f"ticket-{self.calls['apps.connections.open']}"
        self._tickets.add(ticket)
        return {"url": f"ws://{self._address}/link?ticket={ticket}&app_id=A100"}

    def _auth_test(self, arguments: dict[str, Any]) -> dict[str, Any]:
        ids = {"team_id": "T1", "user_id": "UBOT", "bot_id": "B1"}
        return {"url": "https://standin.slack.com/", "team": "standin", "user": "muat", **ids}

    def _users_info(self, arguments: dict[str, Any]) -> dict[str, Any]:
        self._need("users:read")
        user = arguments.get("user", "")
        if user not in self.locales:
            raise Refused("user_not_found")
        admin = {"is_admin": user in self.admins, "is_owner": False}
        profile: dict[str, Any] = {
            "id": user,
            **admin,
            "team_id": "T1",
            "tz": "Asia/Jakarta",
            "tz_offset": 25200,
        }
        if arguments.get("include_locale") in ("1", "true", True):
            profile["locale"] = self.locales[user]
        return {"user": profile}

    def _post(self, arguments: dict[str, Any]) -> dict[str, Any]:
        self._need("chat:write")
        if arguments.get("channel") not in self.channels:
            raise Refused("channel_not_found")
        self._accept(arguments)
        self.posts.append(arguments)
        self._tell_soon()
        return {"channel": arguments["channel"], "ts": f"1796083200.{len(self.posts):06}"}

    def _tell_soon(self) -> None:
        task = asyncio.get_running_loop().create_task(self._tell_posted())
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _tell_posted(self) -> None:
        async with self.posted:
            self.posted.notify_all()

    async def until(self, holds: Callable[[], object]) -> None:
        """Waits until `holds()` is true, asked again after each post, form and refusal."""
        async with asyncio.timeout(PATIENCE_SECONDS), self.posted:
            await self.posted.wait_for(holds)

    async def post(self, count: int = 1) -> dict[str, Any]:
        """The message with this number that was posted into a channel, once it is there."""
        await self.until(lambda: len(self.posts) >= count)
        return self.posts[count - 1]

    def _post_ephemeral(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if arguments.get("user") not in self.locales:
            raise Refused("user_not_in_channel")
        posted = self._post(arguments)
        return {"message_ts": posted["ts"]}

    def _views_open(self, arguments: dict[str, Any]) -> dict[str, Any]:
        view = arguments["view"]
        view = json.loads(view) if isinstance(view, str) else view
        if arguments.get("trigger_id") in self.used_triggers:
            raise Refused("exchanged_trigger_id")
        if self.triggers_expire:
            raise Refused("expired_trigger_id")
        self.used_triggers.add(str(arguments.get("trigger_id")))
        if len(view["title"]["text"]) > 24 or len(view.get("private_metadata", "")) > 3000:
            raise Refused("invalid_arguments", "view")
        for block in view["blocks"]:
            check_input(block)
        self.forms.append(view)
        self._tell_soon()
        return {"view": {"id": f"V{len(self.forms)}", **view}}

    def _need(self, scope: str) -> None:
        if scope not in self.scopes:
            raise Refused("missing_scope", scope)

    def _accept(self, message: dict[str, Any]) -> None:
        check_message(message)
        self.pings += pings(message)

    async def _response_url(self, request: web.Request) -> web.Response:
        self.calls["response_url"] += 1
        if broken := self._broken("response_url"):
            return broken
        sent = self._commands[request.match_info["envelope_id"]]
        try:
            message = await self._used(sent, request)
        except Refused as refused:
            self._remember("response_url", refused)
            status = 404 if refused.error in ("used_url", "expired_url") else 400
            return web.json_response({"ok": False, "error": refused.error}, status=status)
        async with sent.posted:
            sent.messages.append(message)
            sent.posted.notify_all()
        return web.Response(text="ok")

    async def _used(self, sent: SlashCommand, request: web.Request) -> dict[str, Any]:
        if self._clock() - sent.sent_at > RESPONSE_URL_SECONDS:
            raise Refused("expired_url")
        self._uses[sent.envelope_id] += 1
        if self._uses[sent.envelope_id] > RESPONSE_URL_USES:
            raise Refused("used_url")
        try:
            message: dict[str, Any] = json.loads(await request.text())
        except json.JSONDecodeError:
            raise Refused("invalid_payload") from None
        self._accept(message)
        return message

    async def _link(self, request: web.Request) -> web.StreamResponse:
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            self._remember("link", Refused("invalid_ticket", "a ticket is good for one socket"))
            return web.Response(status=403)
        self._tickets.discard(ticket)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        if len(self._sockets) >= MOST_SOCKETS:
            await socket.send_json({"type": "disconnect", "reason": "too_many_websockets"})
            await socket.close()
            return socket
        hello = {"num_connections": len(self._sockets) + 1, "connection_info": {"app_id": "A100"}}
        await socket.send_json({"type": "hello", **hello})
        self._sockets.append(socket)
        async with self._sockets_changed:
            self.calls["socket"] += 1
            self._sockets_changed.notify_all()
        async for frame in socket:
            if frame.type == WSMsgType.TEXT:
                self._acknowledged(frame.data)
        async with self._sockets_changed:
            self._sockets.remove(socket)
            self._sockets_changed.notify_all()
        return socket

    def _acknowledged(self, frame: str) -> None:
        try:
            ack = json.loads(frame)
            sent = self._commands[ack["envelope_id"]]
            if sent.acked.is_set():
                raise Refused("already_acknowledged", sent.envelope_id)
            if ack.get("payload"):
                self._accept(ack["payload"])
                sent.messages.append(ack["payload"])
        except (json.JSONDecodeError, KeyError, TypeError):
            self._remember("socket", Refused("invalid_ack", frame))
            return
        except Refused as refused:
            self._remember("socket", refused)
            return
        sent.ack_seconds = monotonic() - sent.sent_on_loop
        sent.acked.set()

    # What Slack keeps to itself

    def _expect_ack(self, sent: SlashCommand) -> None:
        if not sent.acked.is_set():
            self._remember("socket", Refused("operation_timeout", sent.envelope_id))

    def _remember(self, where: str, refused: Refused) -> None:
        self.refusals.append(f"{where}: {refused}")
        self._tell_soon()

    def _broken(self, target: str) -> web.Response | None:
        if not self._faults.get(target):
            return None
        status, retry_after = self._faults[target].pop(0)
        headers: CIMultiDict[str] = CIMultiDict()
        if status == 429:
            headers["Retry-After"] = str(retry_after)
        body = {"ok": False, "error": "ratelimited" if status == 429 else "internal_error"}
        return web.json_response(body, status=status, headers=headers)


def escaped(text: str) -> str:
    """`text` as Slack sends it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


async def _arguments(request: web.Request) -> dict[str, Any]:
    """The arguments of a Web API call: from the query, a form or a JSON body."""
    arguments: dict[str, Any] = dict(request.query)
    if request.content_type == "application/json":
        try:
            arguments |= await request.json()
        except json.JSONDecodeError:
            raise Refused("invalid_json") from None
    else:
        arguments |= {name: str(value) for name, value in (await request.post()).items()}
    return arguments
