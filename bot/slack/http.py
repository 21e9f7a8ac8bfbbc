"""Slack over HTTP: one signed address for commands, events and interactivity."""

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp

PATH = "/slack/events"


def add_routes(app: web.Application, bolt: AsyncApp) -> None:
    """Let `app` take what Slack posts; Bolt refuses what is not signed, or signed long ago."""

    async def from_slack(request: web.Request) -> web.Response:
        answer = await bolt.async_dispatch(await to_bolt_request(request))
        response: web.Response = await to_aiohttp_response(answer)
        return response

    app.router.add_post(PATH, from_slack)
